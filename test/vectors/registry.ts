/** Which dialects have vectors, and who runs them; one without runners is skipped, counted. */
import { runners as eventcounters } from './eventcounters.ts'
import { runners as proxywasm } from './proxywasm.ts'
import type { Runners } from './run.ts'
import { runners as scope } from './scope.ts'
import { runners as statshero } from './statshero.ts'
import { runners as wallaroo } from './wallaroo.ts'

/** In the order in which files are looked for and reported. */
export const RUNNERS: Readonly<Record<string, Runners>> = {
  statshero,
  scope,
  wallaroo,
  eventcounters,
  proxywasm,
}

export const DIALECT_NAMES: readonly string[] = Object.keys(RUNNERS)
