/** Scope with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { demo } from './demo/demo.ts'
import { dialect } from './dialect.ts'

export const scope: Guest = {
  dialect,
  demo,
  examples: { decode: ['echo 82a17400a16480 | pentameter decode scope --role client --lines'] },
}
