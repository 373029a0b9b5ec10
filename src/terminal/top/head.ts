/**
 * The upper lines of every screen: hub, state and clock, and a meter for each dialect, so that "is
 * everything arriving?" is answered before anything else.
 */
import type { DialectStatus } from '../../http/api.ts'
import { shownName } from '../../viewer/format/name.ts'
import { lesserNotices, worstNotices } from '../../viewer/format/notice.ts'
import { format } from '../../viewer/format/number.ts'
import { isLimited, unclaimedWords } from '../../viewer/format/status.ts'
import { clockText, durationText, windowText } from '../../viewer/format/time.ts'
import { meterReading } from '../../viewer/series/meter.ts'
import type { Store } from '../../viewer/store/store.ts'
import { spark } from '../chart/spark.ts'
import type { Style } from '../color.ts'
import { textWidth } from '../columns.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { wide } from '../series/figures.ts'

interface HeadView {
  readonly store: Store
  /** `HOST:PORT`. */
  readonly hub: string
  readonly cursor: number | null
  /** Words at the right, beside the window. */
  readonly seen: string
}

/** Columns of the hub's name. */
const NAME_LEAST = 8
const NAME_MOST = 40

export function drawFirstLine(buffer: ScreenBuffer, view: HeadView): void {
  const { clock } = view.store
  const right = `${view.seen}  ${windowText(clock.window.peek())}`
  const room = buffer.columns - textWidth(right) - 2
  const { words, style } = stateOf(view)
  let at = buffer.write(0, 0, 'Pentameter', 'bold', room)
  // the state is worth more than the end of a long name
  const name = Math.max(NAME_LEAST, room - at - 5 - textWidth(words))
  at = buffer.write(0, at + 2, view.hub, 'plain', Math.min(NAME_MOST, name))
  buffer.write(0, at + 3, words, style, room - at - 3)
  buffer.writeRight(0, buffer.columns, right)
}

/** Says one word for the state, with its mark, and the instant that the numbers are of. */
function stateOf({ store, cursor }: HeadView): { words: string; style: Style } {
  const { clock } = store
  const connection = clock.connection.peek()
  if (connection.state === 'lost') {
    const seconds = Math.max(1, Math.ceil((connection.retryAtMs - Date.now()) / 1000))
    const since = clockText(connection.sinceMs)
    return { words: `■ Lost at ${since}, retry in ${seconds} s`, style: 'lost' }
  }
  const at = clockText((cursor ?? clock.readingSecond()) * 1000)
  if (cursor !== null) return { words: `│ Cursor ${at}`, style: 'cursor' }
  if (clock.pausedAt.peek() !== undefined) return { words: `Paused ${at}`, style: 'unusual' }
  if (connection.state === 'connecting') return { words: 'connecting', style: 'faint' }
  return { words: `● live ${at}`, style: 'ok' }
}

/** Draws the worst notice, and how many others there are. @returns rows that it took */
export function drawNotice(buffer: ScreenBuffer, row: number, store: Store): number {
  const notices = [...worstNotices(store), ...lesserNotices(store)].filter(({ about }) => {
    // the first line says it in fewer words
    return about !== 'connection'
  })
  const [notice, ...others] = notices
  if (notice === undefined) return 0
  const style: Style = notice.manner === 'bad' ? 'lost' : 'unusual'
  buffer.write(row, 0, notice.manner === 'bad' ? '■' : '◆', style)
  const rest = others.length === 0 ? '' : ` +${others.length}`
  buffer.write(row, 2, wide(notice.words), style, buffer.columns - 2 - rest.length)
  buffer.writeRight(row, buffer.columns, rest, style)
  return 1
}

const BETWEEN = 2
const RATE = 8
const AGE = 6
const SPARK_LEAST = 4
const SPARK_MOST = 16
/** Rows from which on a line can be spared for what is not there. */
const TALL_FROM = 30
/** Least columns of a meter: one that is narrower says too little. */
const METER_LEAST = 38

/**
 * Draws a meter for each dialect, column by column, and below them what came to a port that several
 * share and is of none. @returns rows that they took
 */
export function drawMeters(buffer: ScreenBuffer, row: number, store: Store): number {
  const meters = drawDialects(buffer, row, store)
  const words = store.sources.peek()?.listeners.map(unclaimedWords).filter(Boolean) ?? []
  words.forEach((each, i) => {
    buffer.write(row + meters + i, 1, `■ ${wide(each)}`, 'lost')
  })
  return meters + words.length
}

function drawDialects(buffer: ScreenBuffer, row: number, store: Store): number {
  const all = store.sources.peek()?.dialects ?? []
  const dialects = all.filter(({ lastDataMs, errors }) => lastDataMs !== null || errors > 0)
  const silent = all.filter((status) => !dialects.includes(status))
  const rows = drawHeard(buffer, row, store, dialects)
  // while there is nothing to see besides, and where there is room
  if (silent.length === 0 || (rows > 0 && buffer.rows < TALL_FROM)) return rows
  buffer.write(row + rows, 1, `nothing yet from ${silent.map(titleOf).join(', ')}`, 'faint')
  return rows + 1
}

/** Draws meters of those that something came of. @returns rows that they took */
function drawHeard(
  buffer: ScreenBuffer,
  row: number,
  store: Store,
  dialects: readonly DialectStatus[],
): number {
  if (dialects.length === 0) return 0
  const fitting = Math.max(1, Math.floor(buffer.columns / METER_LEAST))
  const rows = Math.ceil(dialects.length / fitting)
  // none is left empty beside names that are cut
  const columns = Math.ceil(dialects.length / rows)
  const width = Math.floor(buffer.columns / columns)
  dialects.forEach((status, i) => {
    const column = Math.floor(i / rows)
    const neighbours = dialects.slice(column * rows, (column + 1) * rows)
    const longest = Math.max(...neighbours.map((each) => textWidth(titleOf(each))))
    const title = Math.min(longest, width - 2 - BETWEEN - RATE - 1 - AGE)
    drawMeter(
      buffer,
      row + (i % rows),
      { left: column * width + 1, width: width - 2, title },
      { status, store },
    )
  })
  return rows
}

/** Gives the first of the names that a dialect goes by: the others find no room. */
function titleOf({ title }: DialectStatus): string {
  return shownName(title.split(',')[0]!)
}

interface MeterPlace {
  readonly left: number
  readonly width: number
  /** Columns of the title. */
  readonly title: number
}

interface Meter {
  readonly status: DialectStatus
  readonly store: Store
}

function drawMeter(
  buffer: ScreenBuffer,
  row: number,
  { left, width, title }: MeterPlace,
  { status, store }: Meter,
): void {
  const isWaiting = status.lastDataMs === null
  const trouble = troubleOf(status, store)
  const room = width - title - RATE - AGE - trouble.length - 4 * BETWEEN + 2
  const cells = Math.max(0, Math.min(SPARK_MOST, room))
  buffer.write(row, left, titleOf(status), isWaiting ? 'faint' : 'plain', title)
  let at = left + title + BETWEEN + RATE
  const rates = store.cache.rates(status.name)
  const end = store.clock.readingSecond()
  const { rate, age, isSilent } = meterReading(status, rates, end, store.clock.nowMs())
  const rateText = format(rate, '/s').join(' ').trimEnd()
  buffer.writeRight(row, at, rateText, isWaiting ? 'faint' : 'bold', RATE)
  at += 1
  if (cells >= SPARK_LEAST) {
    const values = new Float64Array(cells * 2)
    rates.copy(end - values.length + 1, values)
    buffer.write(row, at, spark(isWaiting ? [] : values, cells), 'data')
    at += cells + 1
  }
  at += AGE
  const ageStyle: Style = isSilent ? 'unusual' : 'faint'
  // in place of spark and age, and of the dash where these are too narrow
  if (isWaiting) buffer.writeRight(row, at, 'nothing yet', ageStyle, at - left - title)
  else buffer.writeRight(row, at, wide(durationText(age)), ageStyle, AGE)
  if (trouble !== '') buffer.write(row, at + BETWEEN, trouble, 'lost', left + width - at - BETWEEN)
}

function troubleOf(status: DialectStatus, store: Store): string {
  if (isLimited(store.sources.peek(), status.name)) return '■ limit'
  return status.errors === 0 ? '' : `■ ${shortCount(status.errors)}`
}

/** Writes a count in few columns. */
function shortCount(count: number): string {
  return format(count).join('')
}
