/**
 * Messages over a connection, and what is known of them then. Nothing in these protocols confirms a
 * message; but a peer that does not speak the dialect resets or closes the connection, or answers
 * with bytes that no server of the dialect writes.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Decoder } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { Target } from '../../dialects/endpoints.ts'
import { addressText } from '../../model/text/address.ts'
import { escapeUnseen, unseenJson } from '../../model/text/unseen.ts'
import { CommandError } from '../../terminal/exit.ts'

/** Time within which a connection must be there, and within which a peer ends it or answers, ms. */
const CONNECT_LIMIT_MS = 5000
const END_LIMIT_MS = 5000
/**
 * Time in which a peer closes what it does not speak, and in which a machine says that no process
 * listens for datagrams, ms. A hub does so at once; this is for one that is busy.
 */
export const REFUSAL_MS = 250
/** Bytes of a foreign answer that an error shows. */
const SHOWN_BYTES = 40

/**
 * Hands packets to a peer, and ends the connection.
 * @param greeter dialect that shares the port and speaks first: a hub greets, as it does, a peer
 * that has said nothing for long, and takes what comes then all the same
 * @param forS time to stay and to print what comes back; undefined to end as soon as possible
 * @returns what is known of them then
 * @throws {CommandError} when they could not be sent, and when the peer refused them
 */
export async function sendStream(
  dialect: Dialect,
  packets: readonly Uint8Array[],
  target: Target,
  { greeter, forS }: { readonly greeter?: Dialect; readonly forS?: number | undefined },
): Promise<string> {
  const socket = connect({ host: target.host, port: target.port, allowHalfOpen: true })
  const peer = new Peer(socket, answerReader(dialect, forS !== undefined, greeter))
  const emits = dialect.roles.server === 'emit'
  const refuse = (why: string): never => {
    throw new CommandError(`${addressText(target.host, target.port)} ${why}`)
  }
  try {
    await Promise.race([peer.connected, pause(CONNECT_LIMIT_MS)])
    if (socket.connecting || peer.error !== undefined) {
      throw notSent(
        target,
        peer.error ?? new Error(`no answer within ${CONNECT_LIMIT_MS / 1000} s`),
      )
    }
    for (const packet of packets) socket.write(packet)
    const stay = forS === undefined ? undefined : pause(forS * 1000)
    const refusal = pause(emits ? END_LIMIT_MS : REFUSAL_MS)
    await Promise.race([peer.over, stay ?? Promise.race([peer.answered, refusal])])
    const isOverFirst = peer.isOver
    // a server that emits goes on, whatever its viewer has ended
    peer.isMuted = emits
    socket.end()
    const limitMs = forS === undefined ? END_LIMIT_MS : REFUSAL_MS
    await Promise.race([emits ? peer.written : peer.over, pause(limitMs)])
    const { title } = dialect
    if (peer.foreign !== undefined) refuse(`does not speak ${title}: it answers ${peer.foreign}`)
    if (peer.error !== undefined || (isOverFirst && !peer.hasAnswered)) {
      const how = peer.error === undefined ? 'closed' : 'reset'
      refuse(`refused it: it ${how} the connection; does it speak ${title}?`)
    }
    if (!socket.writableFinished) refuse('did not take all of it')
    if (peer.hasGreeted)
      return `it greeted as ${greeter!.title} before it had read; no refusal came back`
    if (peer.hasAnswered) return `it answers as ${title} does`
    return emits ? 'nothing came back' : 'no refusal came back'
  } finally {
    socket.destroy()
  }
}

/** Conduct of a peer on a connection, as far as it tells whether it speaks the dialect. */
class Peer {
  /** Resolves with the connection, or where there will be none. */
  readonly connected: Promise<void>
  /** Resolves when all that was written has left with its end, or never will. */
  readonly written: Promise<void>
  /** Resolves when no more can come: the peer has ended or reset it, or says foreign things. */
  readonly over: Promise<void>
  readonly answered: Promise<void>
  error: Error | undefined
  isOver = false
  hasAnswered = false
  /** Whether it said what the dialect does that speaks first at such a port. */
  hasGreeted = false
  /** First bytes that no server of the dialect writes, as text. */
  foreign: string | undefined
  /** Whether what comes is passed over. */
  isMuted = false

  constructor(socket: Socket, takeAnswer: (bytes: Uint8Array) => Answer) {
    const over = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    this.over = over.promise
    this.answered = answered.promise
    this.connected = new Promise((resolve) => {
      socket.once('connect', resolve)
      socket.once('close', () => resolve())
    })
    this.written = new Promise((resolve) => {
      socket.once('finish', resolve)
      socket.once('close', () => resolve())
    })
    const end = (): void => {
      this.isOver = true
      over.resolve()
    }
    socket.on('end', end)
    socket.on('error', (error) => {
      this.error = error
      end()
    })
    socket.on('data', (bytes: Uint8Array) => {
      if (this.isMuted || this.foreign !== undefined) return
      const found = takeAnswer(bytes)
      if (found === 'foreign' && !this.hasAnswered) {
        this.foreign = shown(bytes)
        end()
      } else if (found === 'greeting') {
        this.hasGreeted = true
      } else if (found !== 'unfinished') {
        this.hasAnswered = true
        answered.resolve()
      }
    })
  }
}

type Answer = 'own' | 'foreign' | 'unfinished' | 'greeting'

/** Makes a reader that tells the dialect's answers from others; `prints` them as they come. */
function answerReader(
  dialect: Dialect,
  prints: boolean,
  greeter: Dialect | undefined,
): (bytes: Uint8Array) => Answer {
  if (dialect.roles.server !== 'emit') {
    const greeting = greeter?.createDecoder({ role: 'client', transport: 'tcp' })
    return (bytes) => {
      greeting?.push(bytes)
      return greeting?.errors.length === 0 ? 'greeting' : 'foreign'
    }
  }
  const decoder = dialect.createDecoder({ role: 'client', transport: 'tcp' })
  const print = prints ? printer(decoder) : () => {}
  return (bytes) => {
    decoder.push(bytes)
    print()
    if (decoder.messages.length > 0) return 'own'
    return decoder.errors.length > 0 ? 'foreign' : 'unfinished'
  }
}

/** Makes a function that prints the messages and errors that are new. */
function printer(decoder: Decoder): () => void {
  let [messages, errors] = [0, 0]
  return () => {
    for (; messages < decoder.messages.length; messages++) {
      process.stdout.write(`${unseenJson(decoder.messages[messages])}\n`)
    }
    for (; errors < decoder.errors.length; errors++) {
      process.stderr.write(`${decoder.errors[errors]!.code} in the answer\n`)
    }
  }
}

/** Writes the first line of bytes, or as much of it as an error has room for. */
function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString('latin1')
  return `"${escapeUnseen(text.split(/\r?\n/, 1)[0]!)}"`
}

/** Says of a failure of the machine or the network that it was not sent. */
export function notSent({ host, port }: Target, error: Error): CommandError {
  const place = addressText(host, port)
  if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
    return new CommandError(`nobody listens at ${place}; \`pentameter serve\` starts a hub`)
  }
  return new CommandError(`not sent to ${place}: ${error.message}`)
}

/** Waits, and keeps nothing from ending meanwhile. */
export function pause(ms: number): Promise<void> {
  return wait(ms, undefined, { ref: false })
}
