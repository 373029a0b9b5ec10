/** What stands around the plots: title and status above, time and keys below. */
import { ticksOf } from '../../../../model/axis.ts'
import type { Board } from '../../../../model/board/board.ts'
import type { ScreenBuffer } from '../../../../terminal/index.ts'
import { digits } from '../../../../viewer/format/number.ts'
import type { FeedStatus } from '../feed/feed.ts'
import type { Cell, PlotLayout } from './layout.ts'
import { columnOf } from './plot-picture.ts'

/** Title, status and rule. */
export const HEAD_ROWS = 3
/** Time, rule and keys. */
export const FOOT_ROWS = 3
/** Columns of a label of time, with the blanks around it. */
const TIME_WIDTH = 10
const MINUS = '\u2212'

export interface HeadView {
  readonly title: string
  readonly status: FeedStatus
  readonly board: Board
  readonly cursor: number | undefined
  readonly filter: string
  readonly nowNs: bigint
}

export function drawHead(buffer: ScreenBuffer, view: HeadView): void {
  const { title, board, filter } = view
  const { columns } = buffer
  const right = `${stateText(view)}  ${board.windowS} s`
  const after = buffer.write(0, 0, 'Pentameter scope', 'bold')
  const words = filter === '' ? title : `${title}  / ${filter}`
  buffer.write(0, after + 2, words, 'plain', columns - after - right.length - 4)
  buffer.writeRight(0, columns, right, board.state === 'live' ? 'plain' : 'unusual')
  drawStatus(buffer, view)
  buffer.write(2, 0, '─'.repeat(columns), 'faint')
}

/** Says in a word what the picture does. */
function stateText({ board, cursor, status }: HeadView): string {
  const { state, isZoomed, span } = board
  const words = []
  if (state === 'paused') words.push('Paused')
  else if (state === 'held') words.push('Held')
  else if (status.state === 'online') words.push('Live')
  else words.push(board.isEmpty ? 'Connecting' : 'Reconnecting')
  if (isZoomed) words.push(`zoom ${seconds(span.to - span.from)} s`)
  if (cursor !== undefined) words.push(`cursor ${seconds(cursor - span.zero)} s`)
  return words.join('  ')
}

function drawStatus(buffer: ScreenBuffer, { status, board, nowNs }: HeadView): void {
  const { columns } = buffer
  const count = board.events.list.length
  const events = count === 0 ? '' : `${count} ${count === 1 ? 'event' : 'events'}  N B`
  const troubles = status.troubles.map((each) => `■ ${each}`).join('  ')
  const right = [troubles, events].filter(Boolean).join('  ')
  const room = columns - Math.min(right.length, Math.floor(columns / 2)) - 3
  const [text, style] = badge(status, board.isEmpty, nowNs)
  const after = buffer.write(1, 0, text, style, room)
  if (status.state === 'online')
    buffer.write(1, after, `  ${status.facts.join('  ')}`, 'plain', room)
  const width = Math.floor(columns / 2)
  buffer.writeRight(1, columns, right, troubles === '' ? 'plain' : 'lost', width)
}

function badge(status: FeedStatus, isEmpty: boolean, nowNs: bigint) {
  const { state, lastError, retryAtNs } = status
  if (state === 'online') return ['● ONLINE', 'ok'] as const
  const why = lastError === undefined ? '' : `: ${lastError}`
  if (retryAtNs !== undefined) {
    const left = Math.max(0, Math.ceil(Number(retryAtNs - nowNs) / 1e9))
    return [`■ OFFLINE  retry in ${left} s${why}`, 'lost'] as const
  }
  if (isEmpty && lastError === undefined) return ['Connecting...', 'plain'] as const
  return [`■ OFFLINE  connecting${why}`, 'lost'] as const
}

/** Draws the axis of time below each column of plots: 0 is the newest, or the event. */
export function drawTime(
  buffer: ScreenBuffer,
  row: number,
  { layout, axisWidth }: { readonly layout: PlotLayout; readonly axisWidth: number },
  view: HeadView,
): void {
  const { board, cursor } = view
  const { from, to, zero } = board.span
  for (let i = 0; i < layout.columns; i++) {
    const column = i * (layout.width + layout.gap) + axisWidth
    const chart: Cell = { row, column, width: layout.width - axisWidth, height: 1 }
    const count = Math.max(1, Math.floor(chart.width / TIME_WIDTH))
    for (const time of ticksOf({ lo: from - zero, hi: to - zero }, count)) {
      drawMark(buffer, chart, columnOf(chart, { from, to }, time + zero), label(time), 'faint')
    }
    if (cursor === undefined) continue
    const text = `${seconds(cursor - zero)} s`
    drawMark(buffer, chart, columnOf(chart, { from, to }, cursor), text, 'cursor')
  }
}

/** Writes a text around a column, within the chart. */
function drawMark(
  buffer: ScreenBuffer,
  chart: Cell,
  at: number,
  text: string,
  style: 'faint' | 'cursor',
): void {
  if (at < 0 || at >= chart.width) return
  const start = Math.min(Math.max(0, at - Math.floor(text.length / 2)), chart.width - text.length)
  buffer.write(chart.row, chart.column + start, text, style)
}

function label(time: number): string {
  const rounded = Number(time.toPrecision(6))
  return rounded === 0 ? '0' : `${String(rounded).replace('-', MINUS)} s`
}

function seconds(time: number): string {
  return Math.abs(time) < 1e-9 ? '0' : digits(time)
}
