/** The registry: every dialect the product speaks, in the order in which people see them. */
import type { Dialect } from './dialect.ts'
import { eventcounters } from './eventcounters/index.ts'
import { proxywasm } from './proxywasm/index.ts'
import { scope } from './scope/index.ts'
import { statshero } from './statshero/index.ts'
import { wallaroo } from './wallaroo/index.ts'

export const DIALECTS: readonly Dialect[] = [statshero, scope, wallaroo, eventcounters, proxywasm]

export function findDialect(name: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name)
}
