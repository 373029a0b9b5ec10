/**
 * `pentameter scope` for programs: a line per snapshot, or JSON, without control bytes; what
 * happens to the connection goes to standard error.
 */
import { Board, type SampleGroup } from '../../../model/board/board.ts'
import { boardValueText } from '../../../model/board/captions.ts'
import type { LineAbout } from '../../../model/board/line/line.ts'
import type { TriggerEvent } from '../../../model/board/trigger.ts'
import { escapeUnseen, unseenJson } from '../../../model/text/unseen.ts'
import { CommandError } from '../../../terminal/exit.ts'
import { onExit, type ProcessEvents } from '../../../terminal/index.ts'
import type { Clock } from '../../../time/clock.ts'
import { countText } from '../../../viewer/format/seen.ts'
import { type FeedBoard, type FeedStatus, lastLine, type ScopeFeed } from './feed/feed.ts'
import type { ScopeRequest } from './flags.ts'
import type { OpenFeed } from './screen/scope-screen.ts'

interface LineOutput {
  readonly writableLength?: number
  write(text: string): unknown
}

interface PipeParts {
  readonly output: LineOutput
  readonly errors: LineOutput
  readonly process: ProcessEvents
  readonly clock: Clock
  readonly isJson: boolean
}

/** Bytes that may wait for a reader that is slower than the samples; lines beyond are left out. */
const WAITING_LIMIT = 1_048_576
/** Samples are printed as they come: a board keeps as little of them as it can. */
const HISTORY_S = 1

export async function scopeAsLines(
  request: ScopeRequest,
  openFeed: OpenFeed,
  parts: PipeParts,
): Promise<void> {
  const { process, clock, errors } = parts
  const ended = Promise.withResolvers<void>()
  const printer = new Printer(request, parts)
  const feed: ScopeFeed = openFeed(printer, () => printer.follow(feed.status()))
  const beganNs = clock.monotonicNs()
  const tell = (): void => {
    const more = printer.skipped === 0 ? [] : [`${countText(printer.skipped, 'line')} skipped`]
    const { fault } = feed.status()
    if (fault !== undefined) more.push(escapeUnseen(fault))
    errors.write(lastLine(clock.monotonicNs() - beganNs, printer.size, feed.errors, more))
  }
  const off = onExit(process, { end: () => ended.resolve(), restore() {}, quit: tell })
  try {
    await Promise.race([feed.start().then(() => ended.promise), ended.promise, endOf(feed)])
  } finally {
    off()
    await feed.close()
  }
  tell()
}

/** @throws {CommandError} for what was wrong with what has ended */
async function endOf({ ended }: ScopeFeed): Promise<void> {
  const wrong = await (ended ?? Promise.withResolvers<undefined>().promise)
  if (wrong !== undefined) throw new CommandError(wrong)
}

/** A board that prints what it is fed. */
class Printer implements FeedBoard {
  skipped = 0
  readonly #board: Board
  readonly #parts: PipeParts
  #told = ''
  #fault: string | undefined
  #printed: TriggerEvent | undefined

  constructor(request: ScopeRequest, parts: PipeParts) {
    this.#parts = parts
    this.#board = new Board({
      ...request.board,
      historyS: HISTORY_S,
      onNote: (text) => parts.errors.write(`${escapeUnseen(text)}\n`),
    })
  }

  get size(): number {
    return this.#board.size
  }

  describe(name: string, about: LineAbout): void {
    this.#board.describe(name, about)
  }

  break(name: string): void {
    this.#board.break(name)
  }

  restart(): void {
    this.#board.restart()
  }

  get windowS(): number {
    return this.#board.windowS
  }

  remove(name: string): void {
    this.#board.remove(name)
  }

  /** Takes the past, of which no line is printed. */
  fill(groups: readonly SampleGroup[]): void {
    this.#board.fill(groups)
  }

  feed(groups: readonly SampleGroup[]): void {
    this.#board.feed(groups)
    for (const group of groups) {
      for (let row = 0; row < group.timesMs.length; row++) this.#printRow(group, row)
    }
    const event = this.#board.events.latched
    if (event === undefined || event === this.#printed) return
    this.#printed = event
    this.#printEvent(event)
    // with no picture that could stop, the next event may come
    this.#board.events.clear()
  }

  #printRow({ timesMs, names, values }: SampleGroup, row: number): void {
    const { isJson } = this.#parts
    const timeMs = timesMs[row]!
    const at = new Date(timeMs).toISOString()
    const pairs = names.flatMap((name, column) => {
      const value = values[column * timesMs.length + row]!
      return name === undefined ? [] : [[name, value] as const]
    })
    if (isJson) {
      const known = pairs.map(([name, value]) => [name, jsonNumber(value)] as const)
      this.#print(unseenJson({ time: at, values: Object.fromEntries(known) }))
      return
    }
    const texts = pairs.map(([name, value]) => `${name}=${boardValueText(value)}`)
    this.#print(escapeUnseen(`${at}  ${texts.join('  ')}`))
  }

  #printEvent({ key, side, t, value }: TriggerEvent): void {
    const time = new Date(this.#board.originMs + t * 1000).toISOString()
    this.#print(
      this.#parts.isJson
        ? unseenJson({ time, trigger: { key, side, value: jsonNumber(value) } })
        : escapeUnseen(`${time}  TRIG ${key} ${side} ${boardValueText(value)}`),
    )
  }

  #print(line: string): void {
    const { output } = this.#parts
    if ((output.writableLength ?? 0) > WAITING_LIMIT) this.skipped++
    else output.write(`${line}\n`)
  }

  /** Tells a change of the connection, and a fault, once. */
  follow({ state, facts, fault, lastError, retryAtNs }: FeedStatus): void {
    if (fault !== undefined && fault !== this.#fault) {
      this.#fault = fault
      this.#parts.errors.write(`${escapeUnseen(fault)}\n`)
    }
    const text =
      state === 'online'
        ? `online  ${facts.slice(0, 2).join('  ')}`
        : `${state}${lastError === undefined ? '' : `: ${lastError}`}`
    const isNews = state !== this.#told && (state !== 'connecting' || this.#told === '')
    if (!isNews) return
    this.#told = state
    const wait = retryAtNs === undefined ? 0 : Number(retryAtNs - this.#parts.clock.monotonicNs())
    const next = retryAtNs === undefined ? '' : `, next attempt in ${Math.ceil(wait / 1e6)} ms`
    this.#parts.errors.write(`${escapeUnseen(text)}${next}\n`)
  }
}

/** Gives what JSON has no number for as text; null for no value. */
function jsonNumber(value: number): number | string | null {
  if (Number.isNaN(value)) return null
  return Number.isFinite(value) ? value : String(value)
}
