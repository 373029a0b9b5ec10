/** Screens, keys and pictures for commands that are watched at a terminal. */
export { textWidth } from './character-width.ts'
export { type ColorDepth, colorDepth, type Style } from './color.ts'
export { Grid } from './grid.ts'
export { type Key, Keyboard, type KeyInput } from './keys.ts'
export { Screen, type ScreenOutput } from './screen.ts'
export { spark } from './spark.ts'
export { onWayOut, type ProcessEvents } from './way-out.ts'
