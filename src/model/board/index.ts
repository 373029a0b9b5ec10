/**
 * What the page's scope and the terminal's share: pure functions over labels, samples and options.
 */
export * from './color.ts'
export * from './options.ts'
export * from './sma.ts'
export * from './trigger.ts'
