/** EventCounters with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

export const eventcounters: Guest = { dialect }
