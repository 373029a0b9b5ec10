/**
 * Lines in plots: by the plot that their senders want or that was chosen by hand, plots and lines
 * by name, colours that a line keeps for as long as it is in its plot.
 */
import { compareUtf8 } from '../bytes.ts'
import type { Line } from './line/line.ts'
import { parseColor } from './options.ts'

/**
 * Colours of lines that share a plot, in this order: at least 3:1 on white and on black paper, far
 * from each other with every kind of colour vision. A ninth line has the first again, dashed.
 */
export const PALETTE = [
  '#119fbc',
  '#a64a14',
  '#a576f7',
  '#678965',
  '#ed5897',
  '#395ec5',
  '#af8d1a',
  '#67615f',
] as const

/** Lines that share a picture. */
export interface Plot {
  readonly name: string
  /** Lines by name. */
  readonly lines: readonly Line[]
}

export interface LineColor {
  /** `#rrggbb`. */
  readonly color: string
  /** Place in {@link PALETTE}; undefined for a colour that the sender wants. */
  readonly paletteIndex: number | undefined
  readonly isDashed: boolean
}

/** Tells the plot of a line: chosen by hand, else its sender's, else one of its own. */
function plotOf(line: Line, byHand: ReadonlyMap<string, string>): string {
  return byHand.get(line.name) ?? line.about.plot ?? line.name
}

/** Groups lines into plots, and gives the new ones their colours. */
export function groupLines(lines: Iterable<Line>, byHand: ReadonlyMap<string, string>): Plot[] {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const name = plotOf(line, byHand)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [line])
    else group.push(line)
  }
  const plots = [...groups].map(([name, group]) => ({ name, lines: group.sort(byName) }))
  plots.sort(byName)
  for (const plot of plots) chooseColors(plot)
  return plots
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareUtf8(a.name, b.name)
}

function chooseColors({ name, lines }: Plot): void {
  const taken = new Set<number>()
  for (const line of lines) {
    if (line.palettePlot !== name || wishOf(line) !== undefined) line.paletteIndex = undefined
    if (line.paletteIndex !== undefined) taken.add(line.paletteIndex)
  }
  let free = 0
  for (const line of lines) {
    if (wishOf(line) !== undefined || line.paletteIndex !== undefined) continue
    while (taken.has(free)) free++
    taken.add(free)
    line.paletteIndex = free
    line.palettePlot = name
  }
}

function wishOf({ about }: Line): string | undefined {
  return about.color === undefined ? undefined : parseColor(about.color)
}

/**
 * Tells how a line is drawn.
 *
 * @example
 * import { Board, colorOf } from 'pentameter/scope'
 *
 * const board = new Board()
 * board.describe('motor', { color: 'orange' })
 * console.log(colorOf(board.lineOf('motor')!).color) // #ff6900
 */
export function colorOf(line: Line): LineColor {
  const wish = wishOf(line)
  if (wish !== undefined) return { color: wish, paletteIndex: undefined, isDashed: false }
  const place = line.paletteIndex ?? 0
  const paletteIndex = place % PALETTE.length
  return { color: PALETTE[paletteIndex]!, paletteIndex, isDashed: place >= PALETTE.length }
}
