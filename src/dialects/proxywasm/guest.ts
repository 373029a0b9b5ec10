/** Proxy-Wasm metrics with all that they bring into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'
import { createResident, filtersOf } from './hub/resident.ts'

export const proxywasm: Guest = {
  dialect,
  createResident,
  // their metric calls reach no other memory without going through JavaScript
  needsWasmZone: (options) => filtersOf(options).length > 0,
  addRoutes: async (app, context) => (await import('./http/routes.ts')).addRoutes(app, context),
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  commands: ['proxy-wasm', 'size'],
  async addCommands(program, commandLine) {
    const commands = await import('./cli/index.ts')
    commands.addCommands(program, commandLine)
  },
  examples: {
    pentameter: [['pentameter proxy-wasm run auth.wasm', 'a Proxy-Wasm filter and its metrics']],
  },
}
