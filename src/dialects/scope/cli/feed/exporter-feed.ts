/** Samples of an exporter that the viewer attaches to itself, without a hub. */
import type { BoardInput } from '../../../../model/board/board.ts'
import { addressText } from '../../../../model/text/address.ts'
import { type Clock, nsOfMs } from '../../../../time/clock.ts'
import { counted } from '../../../../viewer/format/number.ts'
import { BoardFeed } from '../../client/board-feed.ts'
import { ScopeClient, type ScopeClientStatus } from '../../client.ts'
import type { FeedStatus, ScopeFeed } from './feed.ts'

interface ExporterOptions {
  readonly host: string
  readonly port: number
  readonly intervalS: number
  /** Time until the connection stands; and silence that ends it, where it is no wonder. */
  readonly timeoutS: number
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
  #retryAtNs: bigint | undefined

  /** @param onChange called when samples came, or the state is another one */
  constructor(options: ExporterOptions, board: BoardInput, clock: Clock, onChange: () => void) {
    const { host, port, intervalS, timeoutS } = options
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
      onStatus: (status) => {
        this.#follow(status)
        onChange()
      },
    })
  }

  get errors(): number {
    const { packetsBad, reconnects } = this.#client.counts
    return packetsBad + reconnects
  }

  start(): Promise<void> {
    return this.#client.start()
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  status(): FeedStatus {
    const { state, framing, intervalMs, ticksMissed, lastError, seriesRefused } =
      this.#client.status
    const { entriesDropped, packetsBad } = this.#client.counts
    const facts = []
    if (intervalMs !== undefined) facts.push(`${Number(intervalMs.toPrecision(6))} ms`)
    if (framing !== undefined) facts.push(framing, `${ticksMissed} missed`)
    const troubles = []
    if (entriesDropped > 0) troubles.push(`${entries(entriesDropped)} dropped`)
    if (packetsBad > 0) troubles.push(badPackets(packetsBad))
    if (seriesRefused > 0) troubles.push(`${names(seriesRefused)} refused`)
    return {
      state: state === 'online' || state === 'connecting' ? state : 'offline',
      ...{ facts, troubles, lastError, retryAtNs: this.#retryAtNs },
    }
  }

  #follow({ state, retryMs }: ScopeClientStatus): void {
    this.#retryAtNs =
      state === 'offline' && retryMs !== undefined
        ? this.#clock.monotonicNs() + nsOfMs(retryMs)
        : undefined
  }
}
