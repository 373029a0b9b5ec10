/** Screens, keys and pictures for commands that are watched at a terminal. */
export { textWidth } from './character-width.ts'
export { type ColorDepth, type ColorWishes, colorDepth, type Style } from './color.ts'
export { onExit, type ProcessEvents } from './exit-handlers.ts'
export { type Key, Keyboard, type KeyInput } from './keys.ts'
export { Screen, type ScreenOutput } from './screen.ts'
export { printable, ScreenBuffer } from './screen-buffer.ts'
export { spark } from './spark.ts'
export { tableLines } from './table.ts'
