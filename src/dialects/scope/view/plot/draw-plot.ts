/**
 * The picture of a plot: grid of ten divisions, thresholds, lines with their averages, the event
 * and the cursor. The board says what is drawn, and this only where.
 */
import type { Board } from '../../../../model/board/board.ts'
import { boardValueText } from '../../../../model/board/captions.ts'
import type { PlotPicture } from '../../../../model/board/picture.ts'
import { PALETTE, type Plot } from '../../../../model/board/plots.ts'
import { divisionS, secondsText, timeGrid } from '../../../../model/board/time-grid.ts'
import type { Span } from '../../../../model/board/time-view.ts'
import { linearScale, type Scale } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { axisText, axisTexts } from '../../../../viewer/format/number.ts'
import type { Painter } from '../../../../web/chart/painter.ts'
import { CONTRAST_LEAST, contrastOf } from './contrast.ts'
import { strokeTrace } from './draw-trace.ts'

/** Place of the lines within the canvas, in CSS pixels. */
export interface PlotBox {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Geometry of what was drawn, to find what is under the pointer. */
export interface DrawnPlot {
  readonly box: PlotBox
  readonly span: Span
  readonly range: { readonly lo: number; readonly hi: number }
}

interface PlotScene {
  readonly board: Board
  readonly plot: Plot
  /** Time under the cursor. */
  readonly cursor: number | undefined
  /** Words where there is nothing to draw. */
  readonly emptyWords: string
}

/** Width of the scale: `512 MiB/s` has room in it, and `512 MiB` in a narrow one. */
const SCALE_WIDTH = 68
const NARROW_SCALE_WIDTH = 57
/** Pictures narrower than this have a narrow scale. */
const NARROW = 400
const TICK_PIXELS = 52
const LABEL_PIXELS = 56
const LINE_WIDTH = 1.5
/** Lines of a plot that have a colour of their own, once dashed; more are thin. */
const CROWD_OF_PLOT = 2 * PALETTE.length
/** Lines of all plots beyond which all of them are thin. */
const CROWD_OF_BOARD = 64
const NAME_LENGTH = 40
/** Longer units have no room beside the ticks; the captions have them. */
const UNIT_LENGTH = 8
/** Dark text on it in both themes, with more than 10:1. */
const LABEL_YELLOW = '#ffd84d'
const LABEL_INK = '#17191b'

export function drawBoardPlot(painter: Painter, scene: PlotScene): DrawnPlot {
  const { board, plot } = scene
  const box = boxOf(painter)
  const ticks = Math.max(2, Math.floor((box.bottom - box.top) / TICK_PIXELS))
  const columns = Math.max(1, Math.round((box.right - box.left) * (window.devicePixelRatio || 1)))
  const picture = board.picture(plot, columns, ticks)
  const { span } = board
  const whole = unitOf(plot)
  const unit = whole.length <= UNIT_LENGTH ? whole : ''
  const scale = linearScale(picture.range, box.top, box.bottom, ticks, unit)
  const x = (time: number): number =>
    box.left + ((time - span.from) / (span.to - span.from)) * (box.right - box.left)
  drawGrid(painter, scene, box, scale, x, unit)
  drawThresholds(painter, picture, box, scale, unit)
  // under the lines: an event of one sample is as narrow as its mark
  drawEvent(painter, scene, box, x)
  drawLines(painter, scene, picture, box, scale, x)
  drawCursor(painter, scene, picture, box, scale, x)
  if (picture.lines.every(({ trace }) => trace.isEmpty)) {
    const middle = (box.top + box.bottom) / 2 + 4
    painter.label(scene.emptyWords, (box.left + box.right) / 2, middle, { align: 'center' })
  }
  return { box, span, range: picture.range }
}

function boxOf({ width, height }: Painter): PlotBox {
  const left = width < NARROW ? NARROW_SCALE_WIDTH : SCALE_WIDTH
  return { left, right: Math.max(left + 1, width - 12), top: 8, bottom: Math.max(9, height - 20) }
}

/** Finds the unit that all lines of a plot have; '' where they differ. */
function unitOf({ lines }: Plot): string {
  const unit = lines[0]?.about.unit ?? ''
  return lines.every(({ about }) => (about.unit ?? '') === unit) ? unit : ''
}

function drawGrid(
  painter: Painter,
  { board, cursor }: PlotScene,
  box: PlotBox,
  scale: Scale,
  x: (time: number) => number,
  unit: string,
): void {
  const room = box.left - 12
  const texts = tickTexts(scale.ticks, unit, (words) => painter.textWidth(words) <= room)
  scale.ticks.forEach((tick, i) => {
    painter.horizontal(scale.y(tick), box.left, box.right)
    const place = { align: 'right', room } as const
    painter.label(texts[i]!, box.left - 8, scale.y(tick) + 4, place)
  })
  const { span, isZoomed } = board
  const isHeld = board.state === 'held'
  const labels = Math.floor((box.right - box.left) / LABEL_PIXELS)
  for (const { time, words } of timeGrid({ ...span, isZoomed, isHeld }, labels)) {
    const at = x(time)
    painter.vertical(at, box.top, box.bottom)
    // the cursor's own time takes the place of words beside it
    const isCovered = cursor !== undefined && Math.abs(at - x(cursor)) < LABEL_PIXELS
    if (words === undefined || isCovered) continue
    painter.vertical(at, box.bottom, box.bottom + 4, 'edge')
    const right = Math.min(painter.width - painter.textWidth(words) / 2 - 1, at)
    painter.label(words, right, painter.height - 4, { align: 'center' })
  }
}

/** Writes ticks shortly, and with more digits where that would make two of them the same. */
function tickTexts(
  ticks: readonly number[],
  unit: string,
  isFitting: (text: string) => boolean,
): readonly string[] {
  const texts = axisTexts(ticks, unit, isFitting)
  if (new Set(texts).size === texts.length) return texts
  return ticks.map((tick) => boardValueText(tick, unit))
}

function drawThresholds(
  painter: Painter,
  { thresholds }: PlotPicture,
  box: PlotBox,
  scale: Scale,
  unit: string,
): void {
  const largest = Math.max(...scale.ticks.map(Math.abs))
  for (const { name, value } of thresholds) {
    const at = scale.y(value)
    if (at < box.top - 1 || at > box.bottom + 1) continue
    painter.horizontal(at, box.left, box.right, 'trigger', [5, 4])
    const words = `${cut(name)} ${axisText(value, unit, largest)}`
    const y = at < box.top + 16 ? at + 13 : at - 5
    painter.label(words, box.left + 6, y, { color: 'ink-soft', room: box.right - box.left - 12 })
  }
}

function drawLines(
  painter: Painter,
  { board }: PlotScene,
  { lines }: PlotPicture,
  box: PlotBox,
  { y }: Scale,
  x: (time: number) => number,
): void {
  const { context, palette, ratio } = painter
  const paper = palette.color('bg')
  const averages = lines.filter(({ average }) => average !== undefined)
  context.save()
  context.beginPath()
  const [left, right] = [painter.snapped(box.left), painter.snapped(box.right + 1)]
  const [top, bottom] = [painter.snapped(box.top - 8), painter.snapped(box.bottom + 2)]
  context.rect(left, top, right - left, bottom - top)
  context.clip()
  const places = { x, y, top: box.top - 16, bottom: box.bottom + 16 }
  const width = isCrowded(board, lines) ? 1 / ratio : LINE_WIDTH
  for (const line of lines) {
    const color = board.isSilent(line.line) ? palette.color('edge') : line.color
    const dash = line.isDashed && width === LINE_WIDTH ? [6, 4] : []
    const style = { color, width, dash }
    if (contrastOf(style.color, paper) < CONTRAST_LEAST) {
      strokeTrace(context, line.trace, places, {
        ...style,
        color: palette.color('ink'),
        width: width + 2,
      })
    }
    strokeTrace(context, line.trace, places, style)
  }
  for (const { average, color } of averages) {
    // one of them is of ink, which no line is; more are told apart by the colours of their lines
    const own = averages.length === 1 ? palette.color('ink') : color
    const style = { color: own, width: LINE_WIDTH, dash: [1, 3] }
    strokeTrace(context, average!.trace, places, style)
  }
  context.restore()
}

/**
 * Tells whether lines are drawn as thin as the screen can: colours and dashes repeat by then, and
 * 300 lines of 1.5 pixels cost a processor 120 ms a picture, dashed 300 ms, thin ones 17 ms.
 */
export function isCrowded(board: Board, lines: readonly unknown[]): boolean {
  return lines.length > CROWD_OF_PLOT || board.size > CROWD_OF_BOARD
}

/** Marks the event: in yellow while it moves to the middle, in grey once the picture stands. */
function drawEvent(
  painter: Painter,
  { board, plot }: PlotScene,
  box: PlotBox,
  x: (time: number) => number,
): void {
  const { events } = board
  const event = events.shown ?? events.latched
  if (event === undefined) return
  const at = x(event.t)
  if (at < box.left - 1 || at > box.right + 1) return
  const { context, palette } = painter
  const isHeld = events.shown === event
  context.fillStyle = palette.color(isHeld ? 'edge' : 'trigger')
  context.fillRect(Math.round(at) - 1, box.top, 2, box.bottom - box.top)
  if (!plot.lines.some(({ key }) => key === event.key)) return
  const name = plot.lines.find(({ key }) => key === event.key)!.name
  const words = `TRIG ${cut(name)}`
  const wide = painter.textWidth(words, { weight: 600 }) + 12
  const isLeft = at + 4 + wide > box.right && at - 4 - wide >= box.left
  const left = isLeft ? at - 4 - wide : at + 4
  context.fillStyle = isHeld ? palette.color('ink-soft') : LABEL_YELLOW
  context.fillRect(left, box.top + 2, wide, 18)
  context.fillStyle = isHeld ? palette.color('bg') : LABEL_INK
  context.font = painter.font(600)
  context.textAlign = 'left'
  context.fillText(words, left + 6, box.top + 15)
}

function drawCursor(
  painter: Painter,
  { board, cursor }: PlotScene,
  { lines }: PlotPicture,
  box: PlotBox,
  { y }: Scale,
  x: (time: number) => number,
): void {
  if (cursor === undefined) return
  const { context, palette } = painter
  const at = x(cursor)
  painter.vertical(at, box.top - 6, box.bottom, 'accent')
  for (const { line, color } of lines) {
    const value = line.isHidden ? Number.NaN : line.log.valueAt(cursor)
    const top = y(value)
    if (!(top >= box.top - 1 && top <= box.bottom + 1)) continue
    context.beginPath()
    context.arc(at, top, 3, 0, 2 * Math.PI)
    context.fillStyle = palette.color('bg')
    context.fill()
    context.lineWidth = LINE_WIDTH
    context.strokeStyle = color
    context.stroke()
  }
  const { span } = board
  const words = secondsText(cursor - span.zero, divisionS(span) / 10)
  const half = painter.textWidth(words) / 2
  const middle = Math.min(painter.width - half - 1, Math.max(half + 1, at))
  context.fillStyle = palette.color('bg')
  context.fillRect(middle - half - 4, box.bottom + 5, 2 * half + 8, 15)
  painter.label(words, middle, painter.height - 4, { align: 'center', color: 'accent' })
}

function cut(name: string): string {
  const shown = shownName(name)
  return shown.length > NAME_LENGTH ? `${shown.slice(0, NAME_LENGTH - 1)}…` : shown
}
