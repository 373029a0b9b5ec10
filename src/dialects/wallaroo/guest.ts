/** Wallaroo with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const wallaroo: Guest = { dialect, createResident }
