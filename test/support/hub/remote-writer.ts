/** A process with a hub that counts and writes to a receiver, and tells how far it is. */
import { setTimeout } from 'node:timers/promises'
import { startHub } from '../../../src/start-hub.ts'
import { FREE_PORTS } from '../ports.ts'
import { packet, sendTcp } from './hub.ts'

const [queueFolder, port] = process.argv.slice(2)
const hub = await startHub({
  config: {
    ...FREE_PORTS,
    relay: [`remotewrite+http://127.0.0.1:${port}/?hub=a`],
    remotewrite: { emit: { queueFolder } },
  },
})
const text = { textPort: hub.addresses.text!.port }
for (;;) {
  await sendTcp(text, [packet('n:1|m\n')])
  await setTimeout(200)
  const { connections, peers = [] } = hub.sources()
  const { facts } = connections.find(({ dialect }) => dialect === 'remotewrite') ?? {}
  const told = /(\d+) samples wait/.exec(peers[0]?.message ?? '')?.[1] ?? 0
  const { waiting = Number(told), sent = 0 } = facts ?? {}
  process.stdout.write(`${JSON.stringify({ waiting, sent })}\n`)
}
