/**
 * Program: a hub that answers every message with how many windows its model holds, as soon as the
 * running second is closed. Its argument is options of its config as JSON.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { WINDOW_MESSAGES } from '../load/windows.ts'
import { hubOfProgram } from './hub-program.ts'

/** What the windows of the load are counted in: one series for each of the wire. */
const MESSAGES = 'wallaroo_computation_messages_total'
const LOOK_MS = 20

const hub = hubOfProgram()
await hub.start()

process.on('message', () => void answer())
process.once('disconnect', () => void hub.stop())
process.send?.({ udpPort: 0, tcpPort: hub.addresses().stream!.port })

async function answer(): Promise<void> {
  const before = hub.live.newest
  while (hub.live.newest === before) await wait(LOOK_MS)
  process.send?.(windowsInModel())
}

/** From the totals themselves, not from a count of frames. */
function windowsInModel(): number {
  let sum = 0
  for (const record of hub.series) {
    const total = record.identity.name === MESSAGES ? hub.total(record) : undefined
    if (total?.kind === 'counter') sum += Number(total.total)
  }
  return sum / WINDOW_MESSAGES
}
