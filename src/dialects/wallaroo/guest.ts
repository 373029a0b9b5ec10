/** Wallaroo with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const wallaroo: Guest = {
  dialect,
  createResident,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  examples: {
    send: [
      "pentameter send --to wallaroo://127.0.0.1 '{type: connect}' " +
        "'{type: join, application: a, worker: w}'",
    ],
    decode: ['echo 0000000101 | pentameter decode wallaroo --lines'],
    encode: [
      `echo '{"type":"join","application":"a","worker":"w"}' | pentameter encode wallaroo --lines`,
    ],
  },
}
