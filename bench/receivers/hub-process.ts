/**
 * Program: a hub that answers every message with how many measurements its zone holds.
 * Its argument is options of its config as JSON.
 */
import { DIALECTS } from '../../src/dialects/index.ts'
import { Hub, parseConfig, systemClock } from '../../src/hub/index.ts'
import { VALUE } from '../load/measurements.ts'

const hub = new Hub({
  config: parseConfig({ ...JSON.parse(process.argv[2]!), textPort: 0, streamPort: 0 }),
  clock: systemClock,
  log: (level, message, facts) => {
    if (level !== 'info') console.error(message, facts ?? '')
  },
  dialects: DIALECTS,
})
await hub.start()

process.on('message', () => process.send?.(measurementsInZone()))
process.once('disconnect', () => void hub.stop())
const port = hub.addresses().text!.port
process.send?.({ udpPort: port, tcpPort: port })

/** From the totals themselves, not from a count of lines: every measurement adds VALUE. */
function measurementsInZone(): number {
  let sum = 0
  for (const record of hub.series) {
    const total = record.identity.name.startsWith('app.') ? hub.total(record) : undefined
    if (total?.kind === 'counter') sum += Number(total.total)
  }
  return sum / VALUE
}
