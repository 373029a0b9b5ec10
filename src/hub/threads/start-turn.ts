/**
 * Hubs that start on one port do so one after the other. Between the moment in which a port is seen
 * to be free and the one in which all threads share it, another hub could do the same, and then the
 * kernel would spread what comes over both. A hub that starts holds a socket in Linux' abstract
 * namespace, which is that of the ports (network namespaces); it goes with its process.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Time after which a holder of the turn is stuck, or no hub: it is not waited for any more, ms. */
const WAIT_LIMIT_MS = 10_000
const LOOK_MS = 20

/** Runs `start` while no other hub of this machine starts on the port. */
export async function inTurn<T>(port: number, start: () => Promise<T>): Promise<T> {
  const giveUp = await takeTurn(port)
  try {
    return await start()
  } finally {
    giveUp()
  }
}

async function takeTurn(port: number): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  for (let waitedMs = 0; waitedMs < WAIT_LIMIT_MS; waitedMs += LOOK_MS) {
    const server = createServer((socket) => socket.destroy()).unref()
    server.listen(`\0pentameter-start-${port}`)
    const isMine = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isMine) return () => server.close()
    await setTimeout(LOOK_MS)
  }
  return () => {}
}
