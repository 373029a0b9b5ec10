/**
 * What a tool sends to the socket of this process, and what it gets: whatever arrives, there is one
 * reply at most, and it is that of the runtime; a session's stream is read as it was told; nothing
 * is left behind when the tool has gone, and it is the same however the bytes are cut.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { ByteBuilder, forEachPiece } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import type { CounterEvent } from '../../../snapshot-source.ts'
import type { IpcCommand, IpcReply } from '../../codec/ipc/messages.ts'
import { readCommand } from '../../codec/ipc/read.ts'
import { writeIpc } from '../../codec/ipc/write.ts'
import type { EventMessage } from '../../codec/message.ts'
import { createDecoder } from '../../codec.ts'
import { Connection } from '../../server/connection.ts'
import { readProcessFacts } from '../../server/process-facts.ts'
import { TracingSession } from '../../server/tracing-session.ts'
import { HRESULT, IPC_HEADER_BYTES, SOCKET_LIMITS } from '../../spec.ts'
import { ManualCounters } from '../manual-counters.ts'
import { collectCommand } from '../test-tool.ts'
import { makeCommand, makeEvents } from './grammar.ts'

const FACTS = readProcessFacts('8.0.0')
const PROCESS = { pid: 7, cpus: 2, pointerSize: 8 }
const out = new ByteBuilder()

/** End of a connection that keeps what is written to it. */
class KeptSocket extends EventEmitter {
  readonly writableLength = 0
  readonly parts: Uint8Array[] = []
  isEnded = false
  isClosed = false

  write(bytes: Uint8Array): boolean {
    assert.ok(!this.isEnded && !this.isClosed, 'nothing is written behind the end')
    this.parts.push(bytes)
    return true
  }

  end(bytes: Uint8Array): void {
    this.write(bytes)
    this.isEnded = true
  }

  destroySoon(): void {
    this.destroy()
  }

  destroy(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.emit('close')
  }
}

interface Heard {
  readonly reply: IpcReply | undefined
  readonly replies: number
  readonly events: readonly EventMessage['payload'][]
  readonly codes: readonly string[]
}

/** Has a tool send bytes, tells it counters if it asks for some, and lets it end. */
function converse(
  bytes: Uint8Array,
  told: readonly CounterEvent[],
  { random, isLeaving = false }: { readonly random?: Random; readonly isLeaving?: boolean } = {},
): Heard {
  const clock = new FakeClock()
  const counters = new ManualCounters()
  const socket = new KeptSocket()
  let forgotten = 0
  const connection = new Connection(socket as unknown as Socket, {
    clock,
    facts: FACTS,
    open(command, to) {
      const parts = { id: '1', socket: to, process: PROCESS, clock }
      const session = new TracingSession(command, {
        ...{ ...parts, outputBytes: () => 1, onLoss: () => {} },
      })
      assert.ok(session.open(counters))
      return session
    },
    stop() {},
    forget: () => void forgotten++,
    count() {},
  })
  const send = (piece: Uint8Array): void => {
    if (!socket.isClosed) socket.emit('data', piece)
  }
  if (random === undefined) send(bytes)
  else forEachPiece(random, bytes, send)
  clock.advance(1000)
  for (const session of counters.sessions) session.tell(told, clock.wallMs())
  if (isLeaving) socket.destroy()
  else if (!socket.isClosed) socket.emit('end')
  clock.advance(10_000)
  if (!socket.isClosed) connection.stop()
  assert.deepEqual([forgotten, clock.pending, socket.isClosed], [1, 0, true], 'nothing is left')
  assert.ok(counters.sessions.every(({ isOpen }) => !isOpen))
  return heard(socket)
}

function heard({ parts }: KeptSocket): Heard {
  if (parts.length === 0) return { reply: undefined, replies: 0, events: [], codes: [] }
  const decoder = createDecoder()
  decoder.push(Buffer.concat(parts))
  decoder.end()
  const messages = decoder.messages as readonly (IpcReply | EventMessage)[]
  const replies = messages.filter((each): each is IpcReply => 'message' in each)
  const events = messages.filter((each): each is EventMessage => !('message' in each))
  return {
    reply: replies[0],
    replies: replies.length,
    events: events.map(({ payload }) => payload),
    codes: decoder.errors.map(({ code }) => code),
  }
}

/** Gives what a tool has to hear. */
function replyTo(command: IpcCommand): object {
  switch (command.message) {
    case 'ResumeRuntime':
      return { message: 'OK' }
    case 'StopTracing':
      return { message: 'OK', session: command.session }
    case 'ProcessInfo':
    case 'ProcessInfo2':
    case 'ProcessInfo3':
      return { message: `${command.message}Reply`, pid: FACTS.pid, cookie: FACTS.cookie }
    default:
      return command.format === 1
        ? { message: 'OK', session: '1' }
        : { message: 'Error', code: HRESULT.notSupported }
  }
}

function checkReply(reply: IpcReply | undefined, wanted: object): void {
  for (const [name, value] of Object.entries(wanted)) {
    assert.equal((reply as unknown as Record<string, unknown>)?.[name], value, name)
  }
}

function makeTold(random: Random): CounterEvent[] {
  return makeEvents(random)
    .filter(({ event }) => event === 'EventCounters')
    .map(({ provider, payload }) => ({ provider, payload: payload as CounterEvent['payload'] }))
}

/** Gives what a tool is told of a counter: one without a name to show is shown by its own. */
function shown(payload: CounterEvent['payload']): CounterEvent['payload'] {
  return payload.DisplayName === '' ? { ...payload, DisplayName: payload.Name! } : payload
}

/** Checks the conversation against what the reader of whole commands makes of the bytes. */
function check(bytes: Uint8Array, told: readonly CounterEvent[], found: Heard): void {
  assert.deepEqual(found.codes, [], 'what is written can be read')
  assert.ok(found.replies <= 1)
  if (bytes.length === 0) {
    assert.equal(found.replies, 0)
    return
  }
  const { command, error } = readCommand(bytes)
  const isShort = bytes.length < IPC_HEADER_BYTES
  const wanted = isShort ? { code: HRESULT.badEncoding } : { code: error }
  checkReply(found.reply, command === undefined ? wanted : replyTo(command))
  const isSession = command !== undefined && 'providers' in command && found.reply?.message === 'OK'
  const isFiltered = isSession && command.providers.some(({ filter }) => filter !== undefined)
  if (isFiltered) return
  const payloads = isSession ? told.map(({ payload }) => shown(payload)) : []
  assert.deepEqual(found.events, payloads)
}

export const socket: FuzzTarget = {
  name: 'nettrace-socket',

  seeds: () => [
    writeIpc({ message: 'ProcessInfo3' }),
    writeIpc({ message: 'StopTracing', session: '1' }),
    writeIpc(collectCommand()),
    writeIpc(collectCommand({ message: 'CollectTracing5', sessionType: 0 })),
  ],

  generate(random) {
    const meant = makeCommand(random)
    const behind = random.isOnceIn(4) ? random.below(100_000) : 0
    const bytes = out.reset(random.below(4)).raw(writeIpc(meant)).zeros(behind).bytes
    return { bytes, check: () => checkReply(converse(bytes, []).reply, replyTo(meant)) }
  },

  run(bytes, random) {
    const told = makeTold(random)
    const whole = converse(bytes, told)
    check(bytes, told, whole)
    const cut = converse(bytes, told, { random })
    // more than that behind a command closes the connection
    if (bytes.length <= SOCKET_LIMITS.bytesBehind) assert.deepEqual(cut, whole)
    converse(bytes, told, { random, isLeaving: true })
  },

  canary: {
    fault: 'a reader that begins one byte too late',
    run(bytes) {
      const { reply } = converse(bytes, [])
      assert.deepEqual(converse(bytes.subarray(1), []).reply, reply)
    },
  },
}
