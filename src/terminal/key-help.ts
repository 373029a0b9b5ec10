/** Keys of a screen in words: one line at its bottom, and a list of all of them. */
import { textWidth } from './columns.ts'
import type { ScreenBuffer } from './screen-buffer.ts'

/** Keys, and the words that say what they do. */
export type KeyWords = readonly (readonly [keys: string, words: string])[]

/** Keys that every screen has, those that leave it last. */
const COMMON: KeyWords = [
  ['Ctrl-L -Z', 'draw everything anew; stop as a job, fg goes on'],
  ['?', 'these keys, and back'],
  ['q', 'quit; Ctrl-C as well'],
]
const GAP = '  '
const INDENT = 1
const KEYS_WIDTH = 11

/** Joins hints to a line; the last two stay, of the others the last ones go where room is short. */
export function keyLine(hints: readonly string[], room: number): string {
  const shown = [...hints]
  while (shown.length > 2 && textWidth(shown.join(GAP)) > room) shown.splice(-3, 1)
  return shown.join(GAP)
}

/**
 * Draws the keys of a screen and those that all have.
 * @param rows that there are for it, with its title; the last one says where keys are left out
 */
export function drawKeys(buffer: ScreenBuffer, row: number, rows: number, own: KeyWords): void {
  const all = [...own, ...COMMON]
  const room = all.length < rows ? all.length : rows - 2
  buffer.write(row, INDENT, 'Keys', 'bold')
  for (const [i, [keys, words]] of all.slice(0, Math.max(0, room)).entries()) {
    buffer.write(row + 1 + i, INDENT, keys, 'bold', KEYS_WIDTH - 1)
    buffer.write(row + 1 + i, INDENT + KEYS_WIDTH, words)
  }
  if (room === all.length) return
  const least = buffer.rows - rows + all.length + 1
  const words = `… and ${all.length - room} more: a terminal of ${least} rows shows all`
  buffer.write(row + rows - 1, INDENT, words, 'faint')
}
