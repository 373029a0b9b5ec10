/**
 * Program of test/e2e/relay-route.test.ts, for a network in which only the loopback is up: a hub
 * that relays to an address without a route, which then gets one. Prints what it saw.
 */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { startHub } from '../../../src/start-hub.ts'
import { FREE_PORTS } from '../ports.ts'
import { packet } from './hub.ts'

const ADDRESS = '10.9.9.9'
const PORT = 8125
const PAUSE_MS = 50
const PATIENCE_MS = 20_000

async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isTrue(); waitedMs += PAUSE_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await setTimeout(PAUSE_MS)
  }
}

const failures: unknown[] = []
const hub = await startHub({
  config: {
    ...FREE_PORTS,
    ingestWorkers: 0,
    relay: [`statshero+udp://${ADDRESS}:${PORT}`],
  },
  log: (_level, message, facts) => {
    if (message.startsWith('relay link failed')) failures.push(facts?.error)
  },
})
const sender = createSocket('udp4')
const timer = setInterval(() => {
  sender.send(packet('late:1|m\n'), hub.addresses.text!.port, '127.0.0.1')
}, PAUSE_MS)

await eventually(() => failures.length > 1, 'a second attempt')
console.log(`without a route: ${failures[0]}`)

execFileSync('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', 'lo'])
const receiver = createSocket('udp4')
let arrived = ''
receiver.on('message', (bytes) => {
  arrived += bytes.toString('latin1')
})
receiver.bind(PORT, ADDRESS)
await once(receiver, 'listening')
await eventually(() => arrived.includes('late:'), 'a line at the receiver')
console.log('arrived once there was one')

clearInterval(timer)
sender.close()
receiver.close()
await hub.close()
