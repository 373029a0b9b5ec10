/** What every chart needs of a canvas: CSS pixels, text with a halo, snapped hairlines. */
import { escapeUnseen } from '../../model/text/unseen.ts'
import type { Size } from './frame.ts'

interface LabelStyle {
  readonly color?: Token
  readonly align?: CanvasTextAlign
  readonly weight?: 400 | 600
  /** Pixels; that of all captions where it is not given. */
  readonly size?: number
  /** Longer words are set narrower rather than cut. */
  readonly room?: number
}

const LABEL_SIZE = 11
/** Halo in the colour of the paper, so that text stays legible over data. */
const HALO = 3

export class Painter {
  readonly context: CanvasRenderingContext2D
  readonly palette: Palette
  readonly width: number
  readonly height: number
  /** Pixels of the picture for each CSS pixel. */
  readonly ratio: number

  /** @param ratio pixels of the picture for each CSS pixel */
  constructor(
    canvas: HTMLCanvasElement,
    size: Size,
    palette: Palette,
    ratio = window.devicePixelRatio || 1,
  ) {
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('this browser draws no 2d canvas')
    const width = Math.round(size.width * ratio)
    const height = Math.round(size.height * ratio)
    if (canvas.width !== width) canvas.width = width
    if (canvas.height !== height) canvas.height = height
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, size.width, size.height)
    context.lineJoin = 'round'
    this.context = context
    this.palette = palette
    this.width = size.width
    this.height = size.height
    this.ratio = ratio
  }

  /** Moves a place to an edge of a pixel: a clip between pixels makes drawing cost fourfold. */
  snapped(at: number): number {
    return Math.round(at * this.ratio) / this.ratio
  }

  label(text: string, x: number, y: number, style: LabelStyle = {}): void {
    const { color = 'ink-quiet', align = 'left', weight = 400, size = LABEL_SIZE, room } = style
    const words = escapeUnseen(text)
    const { context, palette } = this
    context.font = this.font(weight, size)
    context.textAlign = align
    context.textBaseline = 'alphabetic'
    context.lineWidth = HALO
    context.strokeStyle = palette.color('bg')
    context.strokeText(words, x, y, room)
    context.fillStyle = palette.color(color)
    context.fillText(words, x, y, room)
  }

  /** Measures the width of a label in CSS pixels. */
  textWidth(text: string, { weight = 400 }: LabelStyle = {}): number {
    this.context.font = this.font(weight)
    return this.context.measureText(escapeUnseen(text)).width
  }

  /** Gives the font of labels. */
  font(weight: number, size = LABEL_SIZE): string {
    return `${weight} ${size}px ${this.palette.font}`
  }

  horizontal(y: number, x0: number, x1: number, color: Token = 'line', dash: number[] = []): void {
    const at = Math.round(y) + 0.5
    this.#hairline(x0, at, x1, at, color, dash)
  }

  vertical(x: number, y0: number, y1: number, color: Token = 'line', dash: number[] = []): void {
    const at = Math.round(x) + 0.5
    this.#hairline(at, y0, at, y1, color, dash)
  }

  /** Draws the mark of the cursor on a line. */
  ring(x: number, y: number, color: Token): void {
    const { context, palette } = this
    context.beginPath()
    context.arc(x, y, 3, 0, 2 * Math.PI)
    context.fillStyle = palette.color('bg')
    context.fill()
    context.lineWidth = 1.5
    context.strokeStyle = palette.color(color)
    context.stroke()
  }

  #hairline(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    color: Token,
    dash: readonly number[],
  ): void {
    const { context, palette } = this
    context.beginPath()
    context.setLineDash([...dash])
    context.lineWidth = 1
    context.strokeStyle = palette.color(color)
    context.moveTo(x0, y0)
    context.lineTo(x1, y1)
    context.stroke()
    context.setLineDash([])
  }
}

export type Token =
  | 'bg'
  | 'line'
  | 'edge'
  | 'ink'
  | 'ink-soft'
  | 'ink-quiet'
  | 'trace'
  | 'trace-fill'
  | 'accent'
  | 'c1'
  | 'c2'
  | 'warn'
  | 'warn-mark'
  | 'error'
  | 'trigger'

export type Ramp = 'faint' | 'heat'

export interface Palette {
  color(token: Token): string
  /** Steps of growing contrast with the paper. */
  ramp(name: Ramp): readonly string[]
  readonly font: string
}

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const colors = new Map<Token, string>()
  const ramps = new Map<Ramp, readonly string[]>()
  return {
    color(token) {
      let color = colors.get(token)
      if (color === undefined) {
        color = read(token)
        colors.set(token, color)
      }
      return color
    },
    ramp(name) {
      let steps = ramps.get(name)
      if (steps === undefined) {
        steps = read(name).split(/\s+/)
        ramps.set(name, steps)
      }
      return steps
    },
    font: read('font'),
  }
}
