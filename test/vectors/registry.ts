/** Which dialects have vectors, and who runs them; one without runners is skipped, counted. */
import { runners as eventcounters } from '../../src/dialects/eventcounters/test/vectors.ts'
import { runners as proxywasm } from '../../src/dialects/proxywasm/test/vectors.ts'
import { runners as scope } from '../../src/dialects/scope/test/vectors.ts'
import { runners as statshero } from '../../src/dialects/statshero/test/vectors.ts'
import { runners as wallaroo } from '../../src/dialects/wallaroo/test/vectors.ts'
import type { Runners } from './run.ts'

/** In the order in which files are looked for and reported. */
export const RUNNERS: Readonly<Record<string, Runners>> = {
  statshero,
  scope,
  wallaroo,
  eventcounters,
  proxywasm,
}

export const DIALECT_NAMES: readonly string[] = Object.keys(RUNNERS)
