/** EventCounters with all that they bring into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const eventcounters: Guest = {
  dialect,
  createResident,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  commands: ['counters'],
  addCommands: async (program, commandLine) =>
    (await import('./cli/index.ts')).addCommands(program, commandLine),
  examples: {
    pentameter: [['pentameter counters monitor 127.0.0.1:4000', "an application's counters, live"]],
    serve: [
      "pentameter serve --attach http://10.0.0.8:4000 'http://10.0.0.9:4000?counters=Node.Runtime'",
    ],
  },
}
