/** Semaphore with all that it brings into the house. */
import type { Guest } from '../../src/dialects/guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const semaphore: Guest = {
  dialect,
  createResident,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  addCommands: async (program) => (await import('./cli/index.ts')).addCommands(program),
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  examples: { serve: ['pentameter serve --semaphore-max-line 200'] },
}
