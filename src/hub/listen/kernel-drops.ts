/**
 * Datagrams that the kernel dropped because a socket's receive buffer was full: Linux counts them
 * per socket in /proc/net/udp and udp6, column `drops`. Elsewhere there is no such count.
 */
import { readFile } from 'node:fs/promises'

const TABLES = ['/proc/net/udp', '/proc/net/udp6']

/** Sum over all sockets bound to the port; undefined where the kernel has no such table. */
export async function readKernelDrops(port: number): Promise<number | undefined> {
  const tables = await Promise.allSettled(TABLES.map((path) => readFile(path, 'latin1')))
  let drops: number | undefined
  for (const table of tables) {
    if (table.status === 'fulfilled') drops = (drops ?? 0) + dropsOf(table.value, port)
  }
  return drops
}

/**
 * Lines read `sl: LOCAL:PORT REMOTE:PORT st tx:rx tr:when retrnsmt uid timeout inode ref pointer
 * drops`, ports in hex.
 */
export function dropsOf(table: string, port: number): number {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  let drops = 0
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/)
    if (fields[1]?.endsWith(ending)) drops += Number(fields.at(-1))
  }
  return drops
}
