/**
 * Addresses of a hub as workers take them: `host:port`. The peer splits at the first ":", so it has
 * no IPv6 literals; ours may stand in brackets (§2).
 */

/** Address that a hub listens at. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Reads `host:port` or `[address]:port`.
 * @throws {RangeError} for what is no address
 *
 * @example
 * import { parseAddress } from 'pentameter/wallaroo'
 *
 * console.log(parseAddress('127.0.0.1:5001')) // { host: '127.0.0.1', port: 5001 }
 */
export function parseAddress(text: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port < 1 || port > 65_535) {
    throw new RangeError(`address "${text}" is not host:port or [address]:port`)
  }
  return { host: match[1] ?? match[2]!, port }
}
