/**
 * Program: a hub that answers every message with how many measurements its zone holds.
 * Its argument is options of its config as JSON.
 */
import { VALUE } from '../load/measurements.ts'
import { hubOfProgram } from './hub-program.ts'

const hub = hubOfProgram()
await hub.start()

process.on('message', () => process.send?.(measurementsInZone()))
process.once('disconnect', () => void hub.stop())
const port = hub.addresses().text!.port
process.send?.({ udpPort: port, tcpPort: port })

/**
 * From the totals themselves, not from a count of lines: every measurement adds VALUE, those of
 * names that a limit refuses to the overflow series.
 */
function measurementsInZone(): number {
  let sum = 0
  for (const record of hub.series) {
    const { name } = record.identity
    const isOffered = name.startsWith('app.') || name === 'pentameter.overflow'
    const total = isOffered ? hub.total(record) : undefined
    if (total?.kind === 'counter') sum += Number(total.total)
  }
  return sum / VALUE
}
