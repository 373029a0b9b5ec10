/** A feed for screens and lines that brings what a test tells it to. */
import type { FeedBoard, FeedStatus, ScopeFeed } from '../cli/feed/feed.ts'

const ONLINE: FeedStatus = {
  state: 'online',
  facts: ['20 ms', 'framed', '0 missed'],
  troubles: [],
  lastError: undefined,
  retryAtNs: undefined,
}

export class FakeFeed implements ScopeFeed {
  readonly title = 'plc1:5001'
  readonly whenEmpty = 'Nothing.'
  errors = 0
  isClosed = false
  #status: FeedStatus = { ...ONLINE, state: 'connecting', facts: [] }
  #board: FeedBoard | undefined
  #onChange = (): void => {}

  readonly open = (board: FeedBoard, onChange: () => void): ScopeFeed => {
    this.#board = board
    this.#onChange = onChange
    return this
  }

  get board(): FeedBoard {
    return this.#board!
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.isClosed = true
  }

  status(): FeedStatus {
    return this.#status
  }

  /** A snapshot, at seconds; the first brings the source online. */
  tell(time: number, values: Readonly<Record<string, number>>): void {
    if (this.#status.state !== 'online') this.#status = ONLINE
    const names = Object.keys(values)
    this.board.feed([{ timesMs: [time * 1000], names, values: Object.values(values) }])
    this.#onChange()
  }

  /** Snapshots from 0 to an end, each with the values that it has at its time. */
  tellAll(
    end: number,
    step: number,
    valuesAt: (time: number) => Readonly<Record<string, number>>,
  ): void {
    const count = Math.round(end / step)
    for (let i = 0; i <= count; i++) this.tell(i * step, valuesAt(i * step))
  }

  become(status: Partial<FeedStatus>): void {
    this.#status = { ...ONLINE, ...status }
    this.#onChange()
  }
}
