/**
 * The hub for programs that embed it: {@link startHub} and the types of what it returns. Public as
 * `pentameter/hub`.
 */

export * from '../start-hub.ts'
export type { Clock } from '../time/clock.ts'
