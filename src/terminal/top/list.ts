/** The list of series: head, meters, a table for each column of the terminal, keys. */
import { shownName } from '../../viewer/format/name.ts'
import { exact } from '../../viewer/format/number.ts'
import { emptyWords } from '../../viewer/format/status.ts'
import { windowText } from '../../viewer/format/time.ts'
import type { ReadingContext } from '../../viewer/series/reading.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Store } from '../../viewer/store/store.ts'
import { textWidth } from '../columns.ts'
import { keyLine } from '../key-help.ts'
import type { Key } from '../keys.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import {
  drawSeriesLine,
  drawTitles,
  pastOf,
  type TableLayout,
  tablesOf,
} from '../series/columns.ts'
import { figuresOf, wide } from '../series/figures.ts'
import { drawFirstLine, drawMeters, drawNotice } from './head.ts'
import type { ListRow, ListRows } from './rows.ts'
import type { TopState } from './state.ts'

interface ListView {
  readonly store: Store
  readonly hub: string
  readonly state: TopState
  readonly rows: ListRows
}

/** Rows below the list: a rule and the keys. */
const FOOT_ROWS = 2

export class SeriesList {
  /** Row that is chosen, by what it shows: it keeps its place in a new order. */
  #chosen: string | undefined
  #chosenAt = 0
  #top = 0
  /** Rows on screen, from the top on. */
  #room = 1
  #rows: readonly ListRow[] = []
  /** Series on screen. */
  shown: readonly Entry[] = []

  /** The series that is chosen. */
  get chosen(): Entry | undefined {
    const row = this.#rows[this.#chosenAt]
    return row?.kind === 'series' ? row.entry : undefined
  }

  /** @returns whether the key moves the choice */
  move(key: Key): boolean {
    const page = Math.max(1, this.#room - 1)
    const steps: Readonly<Record<string, number>> = {
      ...{ up: -1, k: -1, down: 1, j: 1, 'page-up': -page, 'page-down': page },
      ...{ home: -this.#rows.length, end: this.#rows.length },
    }
    const step = steps[key]
    if (step === undefined) return false
    this.#choose(this.#chosenAt + step, step < 0 ? -1 : 1)
    return true
  }

  draw(buffer: ScreenBuffer, view: ListView): void {
    const { store, hub, state, rows } = view
    this.#take(rows.rows)
    const isFiltered = state.filter !== ''
    const total = `${isFiltered ? `${wide(exact(rows.found))} of ` : ''}${wide(exact(rows.total))}`
    drawFirstLine(buffer, { store, hub, cursor: state.cursor, seen: `${total} series` })
    let row = 1 + drawMeters(buffer, 1, store)
    row += drawNotice(buffer, row, store)
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    const height = buffer.rows - row - 2 - FOOT_ROWS
    const widest = Math.max(
      0,
      ...rows.rows.slice(0, WIDTH_ROWS).map((each) => nameWidth(each, rows)),
    )
    const size = { count: this.#rows.length, room: height }
    const tables = tablesOf(buffer.columns, widest, size, store.clock.window.peek())
    this.#room = Math.max(1, height * tables.length)
    this.#scroll()
    for (const table of tables) drawTitles(buffer, row + 1, table, windowWords(store))
    if (this.#rows.length === 0) drawNothing(buffer, row + 2, view)
    const shown = this.#rows.slice(this.#top, this.#top + this.#room)
    shown.forEach((each, i) => {
      const table = tables[Math.floor(i / height)]!
      this.#drawRow(buffer, row + 2 + (i % height), table, each, i, view)
    })
    this.shown = shown.flatMap((each) => (each.kind === 'series' ? [each.entry] : []))
    this.#drawFoot(buffer, state)
  }

  #take(rows: readonly ListRow[]): void {
    this.#rows = rows
    const same = rows.findIndex((row) => keyOf(row) === this.#chosen)
    if (same === -1 || this.#chosen === undefined) this.#choose(this.#chosenAt, 1)
    else this.#chosenAt = same
  }

  /** @param direction in which a heading is passed over */
  #choose(place: number, direction: -1 | 1): void {
    const last = this.#rows.length - 1
    let at = Math.max(0, Math.min(last, place))
    while (this.#rows[at]?.kind === 'heading' && at + direction >= 0 && at + direction <= last) {
      at += direction
    }
    if (this.#rows[at]?.kind === 'heading') at = Math.min(last, at + 1)
    this.#chosenAt = at
    const row = this.#rows[at]
    // the first row stays the first one, whatever comes there
    this.#chosen = row === undefined || at === this.#firstSeries() ? undefined : keyOf(row)
  }

  #firstSeries(): number {
    return this.#rows.findIndex(({ kind }) => kind === 'series')
  }

  #scroll(): void {
    const last = Math.max(0, this.#rows.length - this.#room)
    // a heading above the first series is seen with it
    const first = this.#chosenAt <= this.#firstSeries() ? 0 : this.#chosenAt
    if (first < this.#top) this.#top = first
    if (this.#chosenAt >= this.#top + this.#room) this.#top = this.#chosenAt - this.#room + 1
    this.#top = Math.max(0, Math.min(last, this.#top))
  }

  #drawRow(
    buffer: ScreenBuffer,
    row: number,
    table: TableLayout,
    each: ListRow,
    i: number,
    { store, state, rows }: ListView,
  ): void {
    if (each.kind === 'heading') {
      if (each.isUnusual) buffer.write(row, table.left + 1, '◆', 'unusual')
      const at = buffer.write(row, table.left + 3, shownName(each.text), 'bold', table.name)
      const end = buffer.write(row, at + 2, wide(exact(each.count)), 'faint')
      const room = table.spark + table.sparkWidth - end - 2
      if (each.labels !== '') buffer.write(row, end + 2, shownName(each.labels), 'faint', room)
      return
    }
    const { entry } = each
    const second = state.cursor ?? store.clock.readingSecond()
    const data = store.data(entry.id)
    const window = store.clock.window.peek()
    const edge = store.clock.edge()
    drawSeriesLine(buffer, row, table, {
      name: rows.nameOf(entry),
      figures: figuresOf(
        store.readings(entry.id, state.cursor !== null),
        contextOf(store, entry, second, state.cursor !== null),
      ),
      past: pastOf(data, edge, window, table.sparkWidth * 2),
      isChosen: this.#top + i === this.#chosenAt,
    })
  }

  #drawFoot(buffer: ScreenBuffer, state: TopState): void {
    const row = buffer.rows - FOOT_ROWS
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    if (this.#rows.length > this.#room) {
      const last = Math.min(this.#rows.length, this.#top + this.#room)
      buffer.writeRight(row, buffer.columns, ` ${this.#top + 1}-${last} of ${this.#rows.length} `)
    }
    if (state.isTyping) {
      const at = buffer.write(row + 1, 1, `/ ${state.filter}`, 'bold', buffer.columns - 30)
      buffer.write(row + 1, at, '█', 'cursor')
      buffer.writeRight(row + 1, buffer.columns - 1, '↵ keep  Esc as before', 'faint')
      return
    }
    const filter = state.filter === '' ? '/ filter' : `/ ${cut(state.filter, 16)}`
    const group = state.group === 'none' ? 'g group' : `g ${state.group}`
    const keys = ['↑↓ ↵ open', 'p pause', '1-6 window', '? keys', 'q']
    const hints = [filter, `s sort: ${state.sort}`, group, ...keys]
    buffer.write(row + 1, 1, keyLine(hints, buffer.columns - 2))
  }
}

/** Rows whose names are looked at for the widest: the others have what room there is. */
const WIDTH_ROWS = 500

function nameWidth(row: ListRow, { nameOf }: ListRows): number {
  return row.kind === 'series' ? textWidth(nameOf(row.entry)) : 0
}

function keyOf(row: ListRow): string {
  return row.kind === 'series' ? row.entry.identity : row.text
}

function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}

function windowWords({ clock }: Store): string {
  return windowText(clock.window.peek()).replace(/ m$/, ' min')
}

/** Gathers what the figures of a series depend on. */
export function contextOf(
  store: Store,
  { id, info }: Entry,
  second: number,
  hasCursor: boolean,
): ReadingContext {
  return {
    ...{ info, second, hasCursor, per: '' },
    isStale: store.isStale(id),
    lastDataMs: store.lastDataMs(id),
    nowMs: store.clock.nowMs(),
    finding: store.watch.finding(id),
  }
}

/** Says why there are no rows, and what to do. */
function drawNothing(buffer: ScreenBuffer, row: number, { store, state, rows }: ListView): void {
  const { catalogue } = store
  if (!catalogue.isLoaded) {
    const reason = catalogue.refusal.peek()
    buffer.write(row, 3, reason ?? 'reading the list of series', 'faint')
  } else if (rows.total > 0 && state.filter === '') {
    const words = `All ${rows.total} series have been silent for long. A filter (/) finds them.`
    buffer.write(row, 3, words)
  } else if (state.filter !== '') {
    buffer.write(row, 3, `No series matches “${shownName(state.filter)}”. Esc clears the filter.`)
  } else {
    const { title, isLoss } = emptyWords(store.sources.peek())
    const next = isLoss
      ? 'What it was and who sent it: /sources of the page. What can be read appears here.'
      : 'The hub is listening. What arrives appears here by itself.'
    buffer.write(row, 3, wide(title), 'bold')
    buffer.write(row + 1, 3, next)
    const dialects = store.sources.peek()?.dialects ?? []
    dialects
      .filter(({ tryIt }) => tryIt !== '')
      .forEach(({ title, tryIt }, i) => {
        buffer.write(row + 3 + i, 3, title, 'faint', 14)
        buffer.write(row + 3 + i, 18, tryIt)
      })
  }
}
