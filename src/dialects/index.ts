/** The registry: every dialect the product speaks, in the order in which people see them. */
import type { Dialect } from './dialect.ts'

export const DIALECTS: readonly Dialect[] = []

export function findDialect(name: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name)
}
