/** Prometheus remote write with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'
import { PATH } from './spec.ts'

export const remotewrite: Guest = {
  dialect,
  createResident,
  bodyLimits: ({ requestBytesLimit }) => ({ [PATH]: requestBytesLimit as number }),
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  examples: {
    decode: ['pentameter decode remotewrite request.bin'],
    serve: ["pentameter serve --relay 'remotewrite+http://10.0.0.7:8428/api/v1/write?hub=a'"],
  },
}
