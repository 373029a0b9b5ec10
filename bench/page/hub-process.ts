/**
 * Program: a hub with its HTTP side and nothing else, which answers every message with how many
 * series it has. Its arguments are options of its config as JSON, the folder of the built page, and
 * how many times as fast as others its clock goes.
 */
import { GUESTS } from '../../src/dialects/registry.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { hubOfProgram } from '../receivers/hub-program.ts'

const [, , , webRoot = '', speed = '1'] = process.argv
const hub = hubOfProgram(speed === '1' ? systemClock : fastClock(Number(speed)))
const http = createHttpServer({
  ...{ view: hub, webRoot, host: '127.0.0.1', port: 0 },
  guests: GUESTS,
})
await hub.start()
const { port } = await http.start()

process.on('message', () => process.send?.(hub.series.size))
process.once('disconnect', () => void http.stop().then(() => hub.stop()))
process.send?.({ udpPort: port, tcpPort: hub.addresses().text!.port })

function fastClock(times: number): Clock {
  const [wallMs, monotonicNs] = [systemClock.wallMs(), systemClock.monotonicNs()]
  const elapsedNs = (): bigint => (systemClock.monotonicNs() - monotonicNs) * BigInt(times)
  return {
    monotonicNs: () => monotonicNs + elapsedNs(),
    wallMs: () => wallMs + Number(elapsedNs() / 1_000_000n),
    after: (delayMs, callback) => systemClock.after(delayMs / times, callback),
  }
}
