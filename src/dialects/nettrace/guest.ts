/** NetTrace with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident } from './hub/resident.ts'

export const nettrace: Guest = {
  dialect,
  createResident,
  loadCounterSource: async () => (await import('./cli/index.ts')).counterSource,
  examples: {
    pentameter: [['pentameter counters monitor -n Shop', 'those of a .NET process']],
    decode: ['pentameter decode nettrace trace.nettrace'],
    serve: [
      "pentameter serve --attach 'dotnet://Shop?providers=System.Runtime,Shop'",
      ['pentameter serve --dotnet-socket', 'for dotnet-counters monitor -p PID'],
    ],
  },
}
