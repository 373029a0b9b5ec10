/** What the kernel holds for a UDP socket and what it dropped, from /proc/net/udp. */
import { readFileSync } from 'node:fs'

export interface SocketQueue {
  readonly bytes: number
  readonly drops: number
}

/**
 * Lines read `sl: LOCAL:PORT REMOTE:PORT st tx:rx …  drops`, ports and queues in hex.
 * @throws when no socket is bound to the port
 */
export function socketQueue(port: number): SocketQueue {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of readFileSync('/proc/net/udp', 'latin1').split('\n')) {
    const fields = line.trim().split(/\s+/)
    if (!fields[1]?.endsWith(ending)) continue
    const bytes = Number.parseInt(fields[4]!.slice(fields[4]!.indexOf(':') + 1), 16)
    return { bytes, drops: Number(fields.at(-1)) }
  }
  throw new Error(`no UDP socket on port ${port}`)
}
