/** What an application calls to measure itself. Public as `pentameter/instrument`. */
export { Meter } from './meter.ts'
export * from './reservoir.ts'
export * from './snapshot.ts'
