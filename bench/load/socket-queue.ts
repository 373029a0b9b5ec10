/** What the kernel holds for a UDP socket and what it dropped, from /proc/net/udp. */
import { readFileSync } from 'node:fs'

export interface SocketQueue {
  readonly bytes: number
  readonly drops: number
}

/**
 * Of all sockets that share the port. Lines read `sl: LOCAL:PORT REMOTE:PORT st tx:rx …  drops`,
 * ports and queues in hex.
 * @throws when no socket is bound to the port
 */
export function socketQueue(port: number): SocketQueue {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const queues = readFileSync('/proc/net/udp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(ending))
  if (queues.length === 0) throw new Error(`no UDP socket on port ${port}`)
  let bytes = 0
  let drops = 0
  for (const fields of queues) {
    bytes += Number.parseInt(fields[4]!.slice(fields[4]!.indexOf(':') + 1), 16)
    drops += Number(fields.at(-1))
  }
  return { bytes, drops }
}
