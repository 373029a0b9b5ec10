/** Screens, keys and pictures for commands that are watched at a terminal. */
export { type ColorDepth, type ColorWishes, colorDepth, type Style } from './color.ts'
export { tableLines, textWidth } from './columns.ts'
export { onExit, type ProcessEvents } from './exit.ts'
export { type Key, Keyboard, type KeyInput } from './keys.ts'
export { Screen, type ScreenOutput } from './screen.ts'
export { printable, ScreenBuffer } from './screen-buffer.ts'
export { spark } from './spark.ts'
