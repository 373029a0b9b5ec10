/**
 * One stream into two of Wallaroo's residents, of which one takes usual frames by its module and
 * the other has JavaScript alone: everything that can be asked of them, as text to be compared.
 */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { FakeClock } from '../../../../test/support/fake-clock.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { toHex } from '../../../model/index.ts'
import type { Budget } from '../../../time/budget.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { connectionsAnswer } from '../hub/connections.ts'
import { WorkerReceiver } from '../hub/receiver.ts'
import { WallarooState } from '../hub/state.ts'
import { applicationPass } from '../hub/views/application.ts'
import { compatiblePass } from '../hub/views/compatible.ts'
import { viewPass } from '../hub/views/view.ts'
import { WorkerConnection } from '../server/connection.ts'

interface TwinOptions {
  readonly clock: FakeClock
  readonly hasModule: boolean
  readonly windowBytesLimit?: number
  readonly seriesLimit?: number
  readonly maxFrameBytes?: number
  /** Turns after which frames of a read wait; none unless given. */
  readonly budget?: Budget
}

const RETENTION_MS = 120_000
const APPLICATION = 'golden-app'

export class TwinHub {
  readonly state: WallarooState
  /** Frames that went through JavaScript. */
  slow = 0
  readonly #clock: FakeClock
  readonly #maxFrameBytes: number
  readonly #budget: Budget | undefined
  readonly #log: unknown[] = []
  readonly #notes: string[] = []
  readonly #receivers: WorkerReceiver[] = []
  readonly #connections: { connection: WorkerConnection; socket: EventEmitter }[] = []
  readonly #reports: Reports
  readonly #ingest: Ingest

  constructor(options: TwinOptions) {
    const { clock, hasModule, windowBytesLimit, seriesLimit, maxFrameBytes, budget } = options
    this.#clock = clock
    this.#budget = budget
    this.#maxFrameBytes = maxFrameBytes ?? 1_048_576
    const log = (...entry: unknown[]) => void this.#log.push(entry)
    this.#reports = {
      decodeError: (error, message) => log('error', error, toHex(message)),
      decodeNote: (note) => void this.#notes.push(note),
      count: (name, reason) => log('count', name, reason),
      log: (_level, message) => log('log', message),
    }
    this.#ingest = loggedIngest(log)
    const limit = seriesLimit ?? 1000
    const quota = {
      count: 0,
      isOverloaded: false,
      limits: { seriesLimit: limit },
      roomOf: () => limit - this.state.series().length,
    }
    this.state = new WallarooState({
      options: {
        retentionMs: RETENTION_MS,
        windowBytesLimit: windowBytesLimit ?? 1_000_000,
        workersLimit: 5,
      },
      clock,
      ingest: this.#ingest,
      quota: quota as never,
      refused: (...refusal) => log('refused', ...refusal),
      hasModule,
    })
  }

  /** Opens a connection; @returns its number */
  open(): number {
    const number = this.#connections.length
    const peer: Peer = { transport: 'tcp', address: `10.0.0.${number}`, port: number }
    const receiver = new WorkerReceiver(this.state, peer, () => {})
    const { metrics } = receiver
    receiver.metrics = (frame, nowMs) => {
      this.slow++
      return metrics.call(receiver, frame, nowMs)
    }
    const context = {
      ...{ maxFrameBytes: this.#maxFrameBytes, reports: this.#reports, clock: this.#clock },
      receiver,
    }
    const socket = new FakeSocket()
    const connection = new WorkerConnection(
      socket as unknown as Socket,
      peer,
      context,
      this.#budget,
    )
    connection.start(new Uint8Array(0), receiver.usual?.buffer ?? new Uint8Array(0))
    this.#connections.push({ connection, socket })
    this.#receivers.push(receiver)
    return number
  }

  /**
   * Has a connection read bytes, all at once, and in place if that is asked for, in as many turns
   * as it takes.
   */
  read(number: number, bytes: Uint8Array, isInPlace = false): void {
    this.#read(number, bytes, isInPlace)
    const { connection } = this.#connections[number]!
    while (connection.hasRest) connection.goOn()
  }

  #read(number: number, bytes: Uint8Array, isInPlace: boolean): void {
    const buffer = this.#receivers[number]!.usual?.buffer
    if (isInPlace && buffer !== undefined) {
      buffer.set(bytes)
      this.#connections[number]!.socket.emit('data', buffer.subarray(0, bytes.length))
    } else this.#connections[number]!.socket.emit('data', bytes)
  }

  /** Tells how far a connection is. */
  progress(number: number): readonly [messages: number, bytesInside: number] {
    const { messages, bytesInside } = this.#connections[number]!.connection
    return [messages, bytesInside]
  }

  end(number: number): void {
    this.#connections[number]!.socket.emit('end')
  }

  /** Closes a second. */
  tick(): void {
    this.state.sweep()
    runNow(this.state.flush())
  }

  /**
   * Tells all that there is to know, and forgets what has been told before.
   * @param hasViews false leaves out what is made of the windows, which takes most of the time
   */
  told(hasViews = true): string {
    const { state } = this
    const categories = ['computation', 'start-to-end', 'other']
    const names = new Set(state.series().map((series) => series.names.application))
    const applications = hasViews ? [APPLICATION, ...names] : []
    const wanted = applications.flatMap((application) =>
      categories.map((category) => ({ application, category })),
    )
    const views = wanted.flatMap(({ application, category }) => {
      const request = { application, key: { category }, seconds: 60 }
      return [runNow(viewPass(state, request)), runNow(compatiblePass(state, request))]
    })
    const { memory, measurements, workersNotHeld, workers } = state
    const statuses = this.#connections.map(({ connection }) => connection.status())
    const all = {
      log: this.#log.splice(0),
      // those of one read are counted, in any order
      notes: this.#notes.splice(0).sort(),
      views,
      applications: applications.map((each) => runNow(applicationPass(state, each))),
      connections: connectionsAnswer(state, this.#receivers, statuses, undefined),
      facts: statuses.map(({ facts }) => facts),
      progress: this.#connections.map(({ connection }) => {
        const { messages, isInsideMessage } = connection
        return { messages, isInsideMessage }
      }),
      ...{ bytes: memory.bytes, dropped: memory.dropped, measurements, workersNotHeld },
      refused: workers.refused,
      active: [...state.takeActive()],
      series: state.series().map((series) => ({
        ...{ names: series.names, messages: series.messages(), ids: series.ids, id: series.id },
        ...{ lastSeenMs: series.lastSeenMs, lastEndMs: series.lastEndMs, origin: series.origin },
        ...{ length: series.windows.length, size: series.windows.size },
        ...{ position: series.windows.position, droppedEndMs: series.windows.droppedEndMs },
      })),
    }
    return JSON.stringify(all, toText, 1)
  }
}

/** Leaves out how much memory a connection has at hand: only who gathers cut frames needs more. */
function toText(key: string, value: unknown): unknown {
  if (key === 'bytesHeld') return undefined
  return typeof value === 'bigint' ? `${value}n` : value
}

/** As much of a socket as a connection uses. */
class FakeSocket extends EventEmitter {
  readonly closed = true
  readonly readableEnded = false
  setNoDelay(): void {}
  setKeepAlive(): void {}
  resume(): void {}
  destroy(): void {}
}

function loggedIngest(log: (...entry: unknown[]) => void): Ingest {
  let slots = 0
  return {
    generation: 1,
    begin: (source: string) => log('begin', source),
    slot: (bytes: Uint8Array) => {
      log('slot', Buffer.from(bytes).toString('latin1'))
      return slots++
    },
    merge: (slot: number, cell: unknown) => log('merge', slot, structuredClone(cell)),
    set: (slot: number, value: unknown) => log('set', slot, value),
    retire: (slot: number) => log('retire', slot),
  } as unknown as Ingest
}
