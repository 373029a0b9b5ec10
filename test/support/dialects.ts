/** The registered dialects without what else they bring, in the order of the registry. */
import type { Dialect } from '../../src/dialects/dialect.ts'
import { GUESTS } from '../../src/dialects/registry.ts'

export const DIALECTS: readonly Dialect[] = GUESTS.map(({ dialect }) => dialect)
