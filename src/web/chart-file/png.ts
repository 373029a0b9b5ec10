/** A chart as a picture of its own: title, what it is of and when, and the chart, in the theme. */
import { Painter, type Palette } from '../chart/painter.ts'

/** Smallest picture in CSS pixels, and the pixels of each: it is to be read in a document. */
const WIDTH_LEAST = 640
const RATIO = 2
const PADDING = 16
const HEAD = 44
const TITLE_Y = 16
const NOTE_Y = 34

interface Picture {
  readonly title: string
  readonly note: string
  /** Height of the chart in CSS pixels. */
  readonly height: number
  readonly draw: (painter: Painter) => void
}

/** @param width in which the chart is shown, CSS pixels */
export function pngOf(picture: Picture, width: number, palette: Palette): Promise<Blob> {
  const inside = Math.max(WIDTH_LEAST, Math.round(width))
  const chart = document.createElement('canvas')
  picture.draw(new Painter(chart, { width: inside, height: picture.height }, palette, RATIO))
  const whole = document.createElement('canvas')
  const size = { width: inside + 2 * PADDING, height: picture.height + HEAD + 2 * PADDING }
  const painter = new Painter(whole, size, palette, RATIO)
  const { context } = painter
  context.fillStyle = palette.color('bg')
  context.fillRect(0, 0, size.width, size.height)
  const style = { color: 'ink', weight: 600, size: 13 } as const
  painter.label(picture.title, PADDING, PADDING + TITLE_Y - 4, { ...style, room: inside })
  painter.label(picture.note, PADDING, PADDING + NOTE_Y - 4, { color: 'ink-soft', room: inside })
  context.drawImage(chart, PADDING, PADDING + HEAD, inside, picture.height)
  return new Promise((resolve, reject) => {
    whole.toBlob((blob) => {
      if (blob === null) reject(new Error('the browser made no picture'))
      else resolve(blob)
    }, 'image/png')
  })
}
