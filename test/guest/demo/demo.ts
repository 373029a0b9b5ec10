/** Semaphore's part in the demo: one signal box. */
import { connect } from 'node:net'
import { type Demo, repeat } from '../../../src/dialects/command-line.ts'
import { lineOf } from '../codec.ts'

const STEP_MS = 500

export const demo: Demo = {
  description: 'A signal box tells of its levers.',
  start({ clock, addresses, log }) {
    const { text } = addresses
    if (text === undefined) return async () => {}
    const socket = connect({ host: text.host, port: text.port })
    socket.on('error', () => socket.destroy())
    const cancel = repeat(clock, STEP_MS, () => {
      socket.write(lineOf({ kind: 'c', name: 'levers.pulled', value: 1 }))
    })
    log('a signal box reports', { to: `${text.host}:${text.port}` })
    return async () => {
      cancel()
      socket.destroy()
    }
  },
}
