/** A session that becomes a document, window by window, whole at every way out. */

import { CommandError } from '../../../../terminal/exit.ts'
import { onExit, type ProcessEvents } from '../../../../terminal/index.ts'
import { countText, elapsedText } from '../../../../viewer/format/seen.ts'
import type { FeedWindow } from '../../../command-line.ts'
import type { CounterRequest } from '../request.ts'
import { sizeText } from '../span-text.ts'
import { seriesKey, Watch, type WatchContext } from '../watch.ts'
import type { Destination } from './destination.ts'
import { type DocumentForm, documentForm, type Format } from './documents.ts'
import { Progress, type ProgressOutput } from './progress.ts'

export interface CollectionParts extends WatchContext {
  /** Called once, when the session is open. @param end closes the document */
  readonly open: (end: string) => Destination
  /** Name of the destination, for people. */
  readonly name: string
  readonly progress: ProgressOutput
  readonly process: ProcessEvents
}

export class Collection {
  readonly #request: CounterRequest
  readonly #format: Format
  readonly #parts: CollectionParts
  readonly #watch: Watch
  readonly #progress: Progress
  readonly #known = new Set<string>()
  #form: DocumentForm | undefined
  #destination: Destination | undefined
  /** Rows that came in this turn. */
  #gathered = ''
  #rows = 0
  #leftOut = 0
  #failure: Error | undefined

  constructor(request: CounterRequest, format: Format, parts: CollectionParts) {
    this.#request = request
    this.#format = format
    this.#parts = parts
    this.#progress = new Progress(parts.progress, parts.clock, () => this.#summary())
    this.#watch = new Watch(request, parts, {
      onWait: (text) => this.#progress.line(text),
      onOpen: () => this.#guard(() => this.#begin()),
      onWindow: (window) => this.#onWindow(window),
      onLost: ({ message }, retryInMs) => {
        this.#progress.line(`${message}, next attempt in ${Math.ceil(retryInMs)} ms`)
      },
      onNote: (text) => this.#progress.line(text),
    })
  }

  /** @throws {CommandError} when there never was a session, or a row can't be written */
  async run(): Promise<void> {
    const finish = (): void => this.#guard(() => this.#finish())
    const end = (): void => this.#watch.end()
    const quit = (): void => this.#tell()
    const off = onExit(this.#parts.process, { end, restore: finish, quit })
    try {
      await this.#watch.run()
    } finally {
      finish()
      this.#progress.end()
      off()
    }
    if (this.#failure instanceof CommandError) throw this.#failure
    if (this.#failure !== undefined && !isClosedPipe(this.#failure)) {
      throw new CommandError(`cannot write ${this.#parts.name}: ${this.#failure.message}`)
    }
    this.#tell()
  }

  /** Says what the document holds. */
  #tell(): void {
    this.#progress.line(`${this.#parts.name}: ${this.#summary()}`)
    for (const text of this.#watch.lastWords) this.#progress.line(`  ${text}`)
  }

  #begin(): void {
    if (this.#destination !== undefined) return
    const start = new Date(this.#parts.clock.wallMs())
    this.#form = documentForm(this.#format, { target: this.#watch.name, start })
    this.#destination = this.#parts.open(this.#form.end)
    this.#destination.append(this.#form.head)
    this.#progress.line(`reading from ${this.#watch.target} into ${this.#parts.name}`)
    this.#progress.begin()
  }

  #onWindow(window: FeedWindow): void {
    if (this.#form === undefined || this.#failure !== undefined) return
    const key = seriesKey(window.counter)
    if (!this.#known.has(key)) {
      if (this.#known.size >= this.#request.seriesLimit) {
        this.#leftOut++
        return
      }
      this.#known.add(key)
    }
    const time = new Date(window.timeMs ?? this.#parts.clock.wallMs())
    // All windows that arrive in one piece are written in one piece.
    if (this.#gathered === '') queueMicrotask(() => this.#guard(() => this.#flush()))
    this.#gathered += this.#form.row(window, time, this.#rows)
    this.#rows++
  }

  #flush(): void {
    const text = this.#gathered
    this.#gathered = ''
    if (text !== '') this.#destination?.append(text)
  }

  #finish(): void {
    if (this.#failure === undefined) this.#flush()
    this.#destination?.close()
  }

  /** Writes; a failure ends the session and is told at the end. */
  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#failure ??= error as Error
      this.#watch.end()
    }
  }

  #summary(): string {
    const bytes = sizeText(this.#destination?.bytes ?? 0)
    const parts = [
      countText(this.#rows, 'row'),
      ...[bytes, elapsedText(this.#watch.elapsedMs)],
      countText(this.#watch.errors, 'error'),
      ...this.#watch.troubles,
      ...(this.#leftOut === 0 ? [] : [`${this.#leftOut} rows beyond --max-time-series`]),
    ]
    return parts.join(', ')
  }
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE'
}
