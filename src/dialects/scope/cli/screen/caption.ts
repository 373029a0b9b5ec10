/** Captions of plots: their names, and each line with its value now or at the cursor. */
import type { Board } from '../../../../model/board/board.ts'
import { boardValueText, plotTitle } from '../../../../model/board/captions.ts'
import type { Line } from '../../../../model/board/line/line.ts'
import { colorOf, type Plot } from '../../../../model/board/plots.ts'
import { type ScreenBuffer, type Style, textWidth } from '../../../../terminal/index.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { allDigits } from '../../../../viewer/format/number.ts'
import type { Cell } from './layout.ts'

export interface CaptionView {
  readonly board: Board
  readonly hasLegend: boolean
  readonly isFocused: boolean
  /** Time of the cursor; undefined without. */
  readonly cursor: number | undefined
}

/** Piece of a caption that is not parted; where it is too long, a name gives way to its value. */
type Piece = readonly (readonly [text: string, style: Style, givesWay?: boolean])[]

/** Lines that number keys reach. */
export const NUMBERED = 10
const GAP = '  '
/** Columns that a name keeps, its blank included. */
const NAME_LEAST = 6

/** Widest values so far, by line, so that captions do not move while values change. */
const widest = new WeakMap<Line, number>()

/** Draws a caption. @returns the rows that it took */
export function drawCaption(
  buffer: ScreenBuffer,
  cell: Cell,
  plot: Plot,
  view: CaptionView,
  rowsLimit: number,
): number {
  const pieces = piecesOf(plot, view)
  const end = cell.column + cell.width
  let row = 0
  let at = cell.column
  for (const [i, piece] of pieces.entries()) {
    const width = piece.reduce((sum, [text]) => sum + textWidth(text), 0)
    const rest = i === pieces.length - 1 ? 0 : `${GAP}… ${pieces.length - i} more`.length
    const isLastRow = row === rowsLimit - 1
    const fits = at + width + (isLastRow ? rest : 0) <= end
    if (!fits && i > 0) {
      if (isLastRow) {
        buffer.write(cell.row + row, at, `… ${pieces.length - i} more`, 'faint', end - at)
        break
      }
      row += 1
      at = cell.column + 1
    }
    const excess = Math.max(0, at + width - end)
    for (const [text, style, givesWay = false] of piece) {
      const room = givesWay ? Math.max(NAME_LEAST, textWidth(text) - excess) : end - at
      at = buffer.write(cell.row + row, at, text, style, Math.min(room, end - at))
    }
    at += GAP.length
  }
  return row + 1
}

function piecesOf(plot: Plot, view: CaptionView): Piece[] {
  const mark: Piece[number] = [view.isFocused ? '▸' : ' ', 'bold']
  if (!view.hasLegend) return [[mark, [shownName(plot.name), 'bold']]]
  const title = plotTitle(plot)
  const lines = plot.lines.map((line, i) => linePiece(line, i, view))
  if (title !== '') return [[mark, [shownName(title), 'bold']], ...lines]
  return [[mark, ...(lines[0] ?? [])], ...lines.slice(1)]
}

function linePiece(line: Line, index: number, { board, cursor }: CaptionView): Piece {
  const isFaint = line.isHidden || board.isSilent(line)
  const { color, isDashed } = colorOf(line)
  const number = index < NUMBERED ? String((index + 1) % NUMBERED) : ''
  const symbol = line.isHidden ? '○' : isDashed ? '◍' : '●'
  const name = ` ${shownName(line.name)}`
  const head: Piece = [
    [number, 'faint'],
    [symbol, isFaint ? 'faint' : (color as Style)],
    [name, isFaint ? 'faint' : 'plain', true],
  ]
  if (line.isHidden) return head
  const valueStyle = cursor === undefined ? (isFaint ? 'faint' : 'bold') : 'cursor'
  return [...head, [` ${valueText(line, cursor)}`, valueStyle], ...averagePart(line, cursor)]
}

function valueText(line: Line, cursor: number | undefined): string {
  const { log, about } = line
  // what is looked at closely has all its digits
  if (cursor !== undefined) return allDigits(log.valueAt(cursor), about.unit ?? '').trim()
  const text = plainText(line.value, about.unit)
  const width = Math.max(text.length, widest.get(line) ?? 0)
  widest.set(line, width)
  return text.padStart(width)
}

function averagePart({ average, about }: Line, cursor: number | undefined): Piece {
  if (average === undefined) return []
  const { log } = average
  const value = log.valueAt(cursor ?? log.lastTime ?? 0)
  return [[` ┄ SMA ${plainText(value, about.unit)}`, cursor === undefined ? 'faint' : 'cursor']]
}

/** Writes a value as it stands in a terminal, where no line is broken. */
function plainText(value: number, unit: string | undefined): string {
  return boardValueText(value, unit).replace('\u00a0', ' ')
}
