/** NetTrace with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

export const nettrace: Guest = {
  dialect,
  examples: {
    decode: ['pentameter decode nettrace trace.nettrace'],
  },
}
