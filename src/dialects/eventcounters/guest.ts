/** EventCounters with all that they bring into the house. */
import type { Guest } from '../guest.ts'
import { addCommands } from './cli/index.ts'
import { demo } from './demo/demo.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const eventcounters: Guest = {
  dialect,
  createResident,
  demo,
  addCommands,
  examples: {
    pentameter: [['pentameter counters monitor 127.0.0.1:4000', "an application's counters, live"]],
    serve: [
      "pentameter serve --attach http://10.0.0.8:4000 'http://10.0.0.9:4000?counters=Node.Runtime'",
    ],
  },
}
