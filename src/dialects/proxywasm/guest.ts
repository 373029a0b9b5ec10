/** Proxy-Wasm metrics with all that they bring into the house. */
import type { Guest } from '../guest.ts'
import { addCommands } from './cli/index.ts'
import { demo } from './demo/demo.ts'
import { dialect } from './dialect.ts'
import { createResident, filtersOf } from './hub/resident.ts'

export const proxywasm: Guest = {
  dialect,
  createResident,
  // their metric calls reach no other memory without going through JavaScript
  needsWasmZone: (options) => filtersOf(options).length > 0,
  demo,
  addCommands,
  examples: {
    pentameter: [['pentameter proxy-wasm run auth.wasm', 'a Proxy-Wasm filter and its metrics']],
  },
}
