/** Federation with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const federation: Guest = {
  dialect,
  createResident,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  examples: {
    serve: ['pentameter serve --attach pentameter://10.0.0.8 pentameter://10.0.0.9'],
  },
}
