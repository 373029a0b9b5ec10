/** Stats Hero with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

const LINE = '{"key":"a","value":1,"type":"m"}'

export const statshero: Guest = {
  dialect,
  loadDemo: async () => (await import('./demo/demo.ts')).demo,
  examples: {
    pentameter: [['pentameter decode statshero < packet', 'what a captured packet says']],
    serve: ['pentameter serve --relay statshero+udp://10.0.0.7:8125 --expire-after 3600'],
    send: [
      "pentameter send 'checkout.requests:1|m' 'queue.depth:42|g'",
      "pentameter send --to statshero+udp://10.0.0.7 'checkout.requests:1|m'",
    ],
    decode: [
      "printf '1|6\\na:1|m\\n' | pentameter decode statshero",
      'echo 317c360a613a317c6d0a | pentameter decode statshero --lines',
    ],
    encode: [
      `echo '${LINE}' | pentameter encode statshero > packet`,
      `echo '{"messages":[${LINE}]}' | pentameter encode statshero --lines`,
    ],
  },
}
