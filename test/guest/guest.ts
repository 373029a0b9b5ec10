/** Semaphore with all that it brings into the house. */
import type { Guest } from '../../src/dialects/guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const semaphore: Guest = { dialect, createResident }
