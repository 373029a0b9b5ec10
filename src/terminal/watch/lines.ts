/**
 * Series as lines: for each interval the series that changed (terminal.md, principle 6), or at a
 * terminal all of them in the columns of `top`, with the past of each as a small picture.
 */
import { unseenJson } from '../../model/text/unseen.ts'
import { UNKNOWN_CHANGE } from '../../model/usual.ts'
import { shownName } from '../../viewer/format/name.ts'
import { shownAs } from '../../viewer/format/rate.ts'
import { countText } from '../../viewer/format/seen.ts'
import { instantText } from '../../viewer/format/time.ts'
import { prefixGroups, shortNames } from '../../viewer/series/labels.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { textWidth } from '../columns.ts'
import type { Hub } from '../hub/connect.ts'
import type { Found } from '../hub/find.ts'
import { LineOutput } from '../hub/line-output.ts'
import { ScreenBuffer } from '../screen-buffer.ts'
import { drawSeriesLine, drawTitles, type TableLayout, tablesOf } from '../series/columns.ts'
import { type Figures, figuresOf } from '../series/figures.ts'
import {
  CellLanes,
  cellsOf,
  PAST_LIMIT,
  type WatchedCell,
  type WatchedEvent,
} from './cell-lanes.ts'
import { Follow } from './follow.ts'

export interface LineOptions {
  /** Words of the filter. */
  readonly filter: string
  readonly intervalS: number
  /** Unix ms of the time that is told of first; only what comes unless given. */
  readonly sinceMs?: number
  /** The series, where they were looked for already. */
  readonly found?: Found
  readonly json?: true
  readonly color: boolean
  /** Lines after which it ends; never unless given. */
  readonly limit?: number
}

const TIME_WIDTH = 10
/** The same with a day. */
export const DAY_WIDTH = 17
/** Columns of a line that goes to no terminal, besides its name. */
const FIGURES_WIDTH = 48
const NAME_LIMIT = 300
const NAME_LEAST = 8
/** Columns of a terminal from which on a line has all figures. */
const COLUMNS_LEAST = 72

/** Prints until it is ended. @returns when it is over */
export async function printSeries(hub: Hub, options: LineOptions): Promise<void> {
  await new SeriesLines(hub, options).run()
}

class SeriesLines {
  readonly #options: LineOptions
  readonly #output: LineOutput
  readonly #follow: Follow
  readonly #lanes = new Map<number, CellLanes>()
  readonly #timeWidth: number
  #layout: TableLayout | undefined
  /** Columns of the terminal that it is for. */
  #columns = 0
  /** Whether it has room for a name and one figure alone. */
  #isNarrow = false
  #buffer = new ScreenBuffer(0, 0)
  #sinceTitles = Number.POSITIVE_INFINITY
  /** Names of the series below the last titles. */
  #names = ''
  #hadSeries = false
  /** Whether it was told that there are none. */
  #isWaiting = false
  /** Names a series: at a terminal without labels that say nothing beside its neighbours. */
  #nameOf = ({ text }: Entry): string => text

  constructor(hub: Hub, options: LineOptions) {
    this.#options = options
    this.#timeWidth = options.sinceMs === undefined ? TIME_WIDTH : DAY_WIDTH
    const output = new LineOutput(options)
    this.#output = output
    this.#follow = new Follow(hub, options, {
      onSeries: (entries) => this.#onSeries(entries),
      onCells: (event) => this.#onCells(event),
      onLost: () => output.tell(`connection to ${hub.address.name} lost, trying again`),
      isReady: () => output.drained(),
      onNoPast: (reason) => output.tell(reason),
    })
  }

  run(): Promise<void> {
    const follow = this.#follow
    return this.#output.run({
      start: () => follow.start(),
      stop: () => follow.stop(),
      seen: () => [
        countText(this.#lanes.size, 'series', 'series'),
        countText(follow.losses, 'error'),
      ],
    })
  }

  #onSeries(entries: readonly Entry[]): void {
    this.#hadSeries ||= entries.length > 0
    const listed = new Set(entries.map(({ id }) => id))
    for (const id of this.#lanes.keys()) if (!listed.has(id)) this.#lanes.delete(id)
    for (const { id, info } of entries) {
      if (this.#lanes.has(id)) continue
      // what a gauge is now it was not when the past began
      const { kind, current, isStale } = info
      const isHeld = this.#options.sinceMs === undefined && current !== null && !isStale
      this.#lanes.set(id, new CellLanes(kind, isHeld ? Number(current) : undefined))
    }
    if (entries.length > 0) this.#isWaiting = false
    else if (!this.#isWaiting) {
      this.#isWaiting = true
      const { filter } = this.#options
      const what = filter === '' ? 'there are no series' : `no series matches ${filter}`
      const [since, next] = this.#hadSeries ? ['now', 'next'] : ['yet', 'first']
      this.#output.tell(`${what} ${since}; waiting for the ${next}`)
    }
    if (this.#output.isForPerson) this.#nameOf = shortNames(prefixGroups(entries))
    this.#layOut(entries)
    const names = entries.map((entry) => this.#nameOf(entry)).join('\n')
    if (names !== this.#names) this.#sinceTitles = Number.POSITIVE_INFINITY
    this.#names = names
  }

  /** Lays out the lines for these series in the terminal as wide as it is now. */
  #layOut(entries: readonly Entry[]): void {
    const { isForPerson, columns } = this.#output
    const widest = Math.max(NAME_LEAST, ...entries.map((entry) => textWidth(this.#nameOf(entry))))
    const width = isForPerson
      ? columns - this.#timeWidth
      : FIGURES_WIDTH + Math.min(widest, NAME_LIMIT)
    this.#layout = tablesOf(width, widest, { count: 1, room: 1 }, PAST_LIMIT)[0]
    this.#buffer = new ScreenBuffer(width, 1)
    this.#columns = columns
    this.#isNarrow = isForPerson && columns < COLUMNS_LEAST
  }

  #onCells(event: WatchedEvent): void {
    const { isForPerson, columns } = this.#output
    if (isForPerson && columns !== this.#columns) {
      this.#layOut(this.#follow.entries)
      this.#sinceTitles = Number.POSITIVE_INFINITY
    }
    const cells = cellsOf(event)
    const seconds = Math.max(1, Math.round(event.intervalMs / 1000))
    for (const entry of this.#follow.entries) {
      const cell = cells.get(entry.id)
      const lanes = this.#lanes.get(entry.id)
      const isNews = cell !== undefined && (cell !== null || lanes?.cell !== null)
      lanes?.take(cell, seconds)
      if (lanes === undefined || !(isNews || this.#output.isForPerson)) continue
      this.#print(entry, event, lanes, cell)
    }
  }

  #print(entry: Entry, event: WatchedEvent, lanes: CellLanes, cell: WatchedCell | undefined): void {
    if (this.#options.json) {
      this.#output.write(unseenJson(jsonOf(entry, event, cell ?? null)))
      return
    }
    const second = Math.round(event.endMs / 1000)
    const figures = figuresOf(lanes, {
      ...{ info: entry.info, second, hasCursor: false, isStale: false, per: '' },
      ...{ lastDataMs: event.endMs, nowMs: event.endMs },
      finding: { ...UNKNOWN_CHANGE, since: 0 },
    })
    if (this.#isNarrow) {
      this.#printNarrow(entry, figures, instantText(event.endMs, Date.now()))
      return
    }
    this.#printTitles()
    this.#buffer.clear()
    drawSeriesLine(this.#buffer, 0, this.#layout!, {
      name: this.#nameOf(entry),
      figures,
      past: this.#output.isForPerson ? lanes.past : { greatest: [] },
      isChosen: false,
    })
    this.#output.write(this.#line(instantText(event.endMs, Date.now())))
  }

  /** Prints what a list in so small a terminal has: the name and the figure that says most. */
  #printNarrow(entry: Entry, { last, now, rate, style }: Figures, time: string): void {
    const buffer = this.#buffer
    const text = last.text || now.text || rate.text
    buffer.clear()
    buffer.write(
      0,
      0,
      shownName(this.#nameOf(entry)),
      'plain',
      buffer.columns - textWidth(text) - 1,
    )
    buffer.writeRight(0, buffer.columns, text, style)
    this.#output.write(time.padEnd(this.#timeWidth) + buffer.rowLine(0, this.#output.color))
  }

  /** Prints the titles, again for each screen of lines. */
  #printTitles(): void {
    const { isForPerson, rows } = this.#output
    const screen = isForPerson ? rows - 2 : Number.POSITIVE_INFINITY
    if (this.#sinceTitles++ < screen) return
    this.#sinceTitles = 1
    this.#buffer.clear()
    const { sparkWidth } = this.#layout!
    const past = `${sparkWidth * 2 * this.#options.intervalS} s`
    drawTitles(this.#buffer, 0, this.#layout!, isForPerson ? past : '')
    this.#output.title(this.#line('time'))
  }

  /** Gives the drawn line behind a time; the mark of a chosen row has no use here. */
  #line(time: string): string {
    const line = this.#buffer.rowLine(0, this.#output.color)
    return time.padEnd(this.#timeWidth) + line.replace(/^ {3}/, '')
  }
}

/** Gives what an interval says of a series; numbers beyond 2^53 are text, as in the API. */
function jsonOf({ text, info }: Entry, event: WatchedEvent, cell: WatchedCell): object {
  const { name, labels, dialect, kind, unit } = info
  const head = {
    time: new Date(event.endMs).toISOString(),
    intervalS: event.intervalMs / 1000,
    ...{ series: text, name, labels: Object.fromEntries(labels), dialect, kind },
    ...(unit === undefined ? {} : { unit }),
  }
  if (cell !== null && typeof cell === 'object') return { ...head, ...withoutBuckets(cell) }
  if (kind === 'gauge') return { ...head, value: cell }
  const { factor, unit: rateUnit } = shownAs(info)
  const rate = cell === null ? null : (Number(cell) / (event.intervalMs / 1000)) * factor
  return { ...head, delta: cell, rate, rateUnit }
}

/** Leaves out what only pictures need: `hist` tells of buckets. */
function withoutBuckets(cell: Exclude<WatchedCell, number | string | null>): object {
  if (!('counts' in cell)) return cell
  const { scale, offset, counts, ...figures } = cell
  return figures
}
