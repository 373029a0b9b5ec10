/** OpenTelemetry with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'
import { PATH } from './spec.ts'

export const opentelemetry: Guest = {
  dialect,
  createResident,
  bodyLimits: ({ requestBytesLimit }) => ({ [PATH]: requestBytesLimit as number }),
  furtherPort: ({ port }) => port as number,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  examples: {
    decode: ['pentameter decode opentelemetry request.bin'],
    serve: ['pentameter serve --otlp-port 4318'],
  },
}
