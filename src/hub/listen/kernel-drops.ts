/**
 * Datagrams that the kernel dropped because a socket's receive buffer was full: Linux counts them
 * per socket in /proc/net/udp and udp6, column `drops`. Elsewhere there is no such count. What a
 * socket has dropped stays counted when it is closed, as a thread that is replaced does.
 */
import { readFile } from 'node:fs/promises'

const TABLES = ['/proc/net/udp', '/proc/net/udp6']

export class KernelDrops {
  /** Sockets by inode, and their drops at the last reading. */
  #sockets: ReadonlyMap<string, number> = new Map()
  #total = 0

  /** Counts all drops of a port so far; undefined where the kernel has no such table. */
  async read(port: number): Promise<number | undefined> {
    const tables = await Promise.allSettled(TABLES.map((path) => readFile(path, 'latin1')))
    const texts = tables.filter((table) => table.status === 'fulfilled').map(({ value }) => value)
    return texts.length === 0 ? undefined : this.take(texts, port)
  }

  /** Adds what has been dropped since the last tables. */
  take(tables: readonly string[], port: number): number {
    const sockets = new Map<string, number>()
    for (const table of tables) {
      for (const [inode, drops] of dropsOf(table, port)) {
        this.#total += Math.max(0, drops - (this.#sockets.get(inode) ?? 0))
        sockets.set(inode, drops)
      }
    }
    this.#sockets = sockets
    return this.#total
  }
}

/**
 * Drops by inode of the sockets bound to a port. Lines read `sl: LOCAL:PORT REMOTE:PORT st tx:rx
 * tr:when retrnsmt uid timeout inode ref pointer drops`, ports in hex.
 */
function dropsOf(table: string, port: number): Map<string, number> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const drops = new Map<string, number>()
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/)
    if (fields[1]?.endsWith(ending)) drops.set(fields.at(-4)!, Number(fields.at(-1)))
  }
  return drops
}
