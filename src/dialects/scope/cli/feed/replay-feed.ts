/** Samples of a recording, in the time in which they came, as if its server were still there. */
import type { BoardInput } from '../../../../model/board/board.ts'
import { escapeUnseen } from '../../../../model/text/unseen.ts'
import type { Clock } from '../../../../time/clock.ts'
import { Player } from '../recording/player.ts'
import { RecordingReader } from '../recording/recording-file.ts'
import { ExporterFeed } from './exporter-feed.ts'
import type { FeedStatus, ScopeFeed } from './feed.ts'

/** Silence is the recorded server's own; its connections end where they ended. */
const PATIENCE_S = 86_400
/** Sent, and without effect: the interval is that of the recording. */
const INTERVAL_S = 0.1

const NOT_BEGUN: FeedStatus = {
  state: 'connecting',
  ...{ facts: [], troubles: [] },
  ...{ lastError: undefined, retryAtNs: undefined },
}

export class ReplayFeed implements ScopeFeed {
  readonly title: string
  readonly whenEmpty = 'Nothing so far: the recording begins without series.'
  readonly #reader: RecordingReader
  readonly #player: Player
  readonly #board: BoardInput
  readonly #clock: Clock
  readonly #onChange: () => void
  readonly #ended = Promise.withResolvers<string | undefined>()
  #exporter: ExporterFeed | undefined
  #isEnded = false

  /** @throws {CommandError} where the file is no recording */
  constructor(path: string, board: BoardInput, clock: Clock, onChange: () => void) {
    this.title = `replay of ${escapeUnseen(path)}`
    this.#reader = new RecordingReader(path)
    this.#player = new Player(this.#reader, clock, { ended: () => this.#onEnd() })
    this.#board = board
    this.#clock = clock
    this.#onChange = onChange
  }

  get errors(): number {
    return this.#exporter?.errors ?? 0
  }

  /** Settles when all has been played, with what is wrong with the file, if anything. */
  get ended(): Promise<string | undefined> {
    return this.#ended.promise
  }

  async start(): Promise<void> {
    const port = await this.#player.start()
    const where = { host: '127.0.0.1', port, intervalS: INTERVAL_S, timeoutS: PATIENCE_S }
    this.#exporter = new ExporterFeed(where, this.#board, this.#clock, this.#onChange)
    await this.#exporter.start()
  }

  async close(): Promise<void> {
    this.#player.stop()
    await this.#exporter?.close()
  }

  status(): FeedStatus {
    const now = this.#exporter?.status() ?? NOT_BEGUN
    const hasLeft = now.state === 'offline' && this.#player.isAllSent
    if (!this.#isEnded && !hasLeft) return now
    const lastError = this.#reader.damage ?? 'the recording has ended'
    return { ...now, state: 'offline', lastError, retryAtNs: undefined }
  }

  #onEnd(): void {
    const { damage } = this.#reader
    this.#isEnded = true
    void this.#exporter?.close()
    this.#onChange()
    this.#ended.resolve(damage)
  }
}
