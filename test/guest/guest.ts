/** Semaphore with all that it brings into the house. */
import type { Guest } from '../../src/dialects/guest.ts'
import { addCommands } from './cli/index.ts'
import { demo } from './demo/demo.ts'
import { dialect } from './dialect.ts'
import { addRoutes } from './http/routes.ts'
import { createResident } from './hub/resident.ts'

export const semaphore: Guest = {
  dialect,
  createResident,
  addRoutes,
  addCommands,
  demo,
  examples: { serve: ['pentameter serve --semaphore-max-line 200'] },
}
