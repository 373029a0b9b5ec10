/** Samples of an exporter that the viewer attaches to itself, without a hub. */
import type { BoardInput } from '../../../../model/board/board.ts'
import { addressText } from '../../../../model/text/address.ts'
import { type Clock, nsOfMs } from '../../../../time/clock.ts'
import { counted, text } from '../../../../viewer/format/number.ts'
import { BoardFeed } from '../../client/board-feed.ts'
import { ScopeClient, type ScopeClientStatus } from '../../client.ts'
import { Recorder } from '../recording/recording-file.ts'
import type { FeedStatus, ScopeFeed } from './feed.ts'

interface ExporterOptions {
  readonly host: string
  readonly port: number
  readonly intervalS: number
  /** Time until the connection stands; and silence that ends it, where it is no wonder. */
  readonly timeoutS: number
  /** File that takes what the exporter sends; none unless given. */
  readonly record?: string | undefined
}

const MS_PER_S = 1000
const entries = counted('entry', 'entries')
const badPackets = counted('bad packet')
const names = counted('name')
/** Silence that ends a connection at least: twice the interval, and a while (section 2). */
const IDLE_MS = 10_000
const IDLE_BEYOND_MS = 5000

export class ExporterFeed implements ScopeFeed {
  readonly title: string
  readonly whenEmpty = 'Connected; no series so far. They appear here by themselves.'
  readonly #client: ScopeClient
  readonly #clock: Clock
  readonly #recorder: Recorder | undefined
  #retryAtNs: bigint | undefined

  /**
   * @param onChange called when samples came, or the state is another one
   * @throws {CommandError} where it can't be recorded
   */
  constructor(options: ExporterOptions, board: BoardInput, clock: Clock, onChange: () => void) {
    const { host, port, intervalS, timeoutS, record } = options
    const intervalMs = intervalS * MS_PER_S
    const feed = new BoardFeed(board)
    this.title = addressText(host, port)
    this.#clock = clock
    this.#client = new ScopeClient({
      host,
      port,
      clock,
      samplingIntervalMs: intervalMs,
      connectTimeoutMs: Math.ceil(timeoutS * MS_PER_S),
      idleTimeoutMs: Math.ceil(
        Math.max(timeoutS * MS_PER_S, IDLE_MS, 2 * intervalMs + IDLE_BEYOND_MS),
      ),
      onSample: (sample) => {
        feed.take(sample)
        onChange()
      },
      onBytes: (bytes) => this.#recorder?.bytes(bytes),
      onStatus: (status) => {
        this.#follow(status)
        onChange()
      },
    })
    // behind what refuses wrong options, which shall leave no file
    this.#recorder = record === undefined ? undefined : new Recorder(record, clock)
  }

  get errors(): number {
    const { packetsBad, reconnects } = this.#client.counts
    return packetsBad + reconnects
  }

  start(): Promise<void> {
    return this.#client.start()
  }

  async close(): Promise<void> {
    await this.#client.close()
    this.#recorder?.end()
  }

  status(): FeedStatus {
    const { state, framing, intervalMs, ticksMissed, lastError, seriesRefused } =
      this.#client.status
    const { entriesDropped, packetsBad } = this.#client.counts
    const facts = []
    if (intervalMs !== undefined) facts.push(`${Number(intervalMs.toPrecision(6))} ms`)
    if (framing !== undefined) facts.push(framing, `${ticksMissed} missed`)
    if (this.#recorder !== undefined) facts.push(`recorded ${text(this.#recorder.size, 'B')}`)
    const troubles = []
    const failure = this.#recorder?.failure
    const fault = failure === undefined ? undefined : `recording stopped: ${failure}`
    if (fault !== undefined) troubles.push(fault)
    if (entriesDropped > 0) troubles.push(`${entries(entriesDropped)} dropped`)
    if (packetsBad > 0) troubles.push(badPackets(packetsBad))
    if (seriesRefused > 0) troubles.push(`${names(seriesRefused)} refused`)
    return {
      state: state === 'online' || state === 'connecting' ? state : 'offline',
      ...{ facts, troubles, fault, lastError, retryAtNs: this.#retryAtNs },
    }
  }

  #follow({ state, retryMs }: ScopeClientStatus): void {
    if (state === 'connecting') this.#recorder?.opened()
    else if (state === 'offline') this.#recorder?.closed()
    this.#retryAtNs =
      state === 'offline' && retryMs !== undefined
        ? this.#clock.monotonicNs() + nsOfMs(retryMs)
        : undefined
  }
}
