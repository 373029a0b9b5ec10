/** Scope with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

export const scope: Guest = {
  dialect,
  commands: ['scope'],
  addCommands: async (program) => (await import('./cli/index.ts')).addCommands(program),
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  examples: {
    pentameter: [['pentameter scope plc1:5001', 'an exporter of scope, like an oscilloscope']],
    send: [
      [
        "pentameter send --to scope://127.0.0.1 --for 5 '{kind: settings, sampling_interval: 1e9}'",
        'a viewer',
      ],
    ],
    decode: ['echo 82a17400a16480 | pentameter decode scope --role client --lines'],
  },
}
