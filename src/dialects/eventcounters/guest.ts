/** EventCounters with all that they bring into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const eventcounters: Guest = { dialect, createResident }
