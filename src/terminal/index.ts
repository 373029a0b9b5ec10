/** Screens, keys and pictures for commands that are watched at a terminal. */

export { sparkRows } from './chart/spark.ts'
export { type ColorWishes, colorDepth, hasScreen, type Style } from './color.ts'
export { printable, tableLines, textWidth } from './columns.ts'
export { onExit, type ProcessEvents } from './exit.ts'
export { drawKeys, type KeyWords, keyLine } from './key-help.ts'
export type { Key } from './keys.ts'
export { ScreenBuffer } from './screen-buffer.ts'
export { type TerminalParts, TerminalSession } from './session.ts'
