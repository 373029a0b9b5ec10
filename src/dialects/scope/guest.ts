/** Scope with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

export const scope: Guest = {
  dialect,
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  examples: {
    send: [
      [
        "pentameter send --to scope://127.0.0.1 --for 5 '{kind: settings, sampling_interval: 1e9}'",
        'a viewer',
      ],
    ],
    decode: ['echo 82a17400a16480 | pentameter decode scope --role client --lines'],
  },
}
