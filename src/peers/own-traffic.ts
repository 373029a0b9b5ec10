/**
 * HTTP traffic of the library itself: what it pushes, and what a hub in the program answers. What
 * measures the requests of a program leaves these out, or a program that pushes its metrics would
 * find a request a second in them that it never made.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const pushing = new AsyncLocalStorage<true>()
const servers = new WeakSet<object>()

/** Runs what makes requests of the library. */
export function asOwnTraffic<T>(run: () => T): T {
  return pushing.run(true, run)
}

/** Tells whether the code that runs now does so for a request of the library. */
export function isOwnTraffic(): boolean {
  return pushing.getStore() === true
}

/** Notes a server of node:http whose requests are none of the program. */
export function noteOwnServer(server: object): void {
  servers.add(server)
}

export function isOwnServer(server: object): boolean {
  return servers.has(server)
}
