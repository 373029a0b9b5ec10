/**
 * Socket addresses as Linux lays them out, netinet/in.h; `le` is the machine's order, which
 * `openLibc` has checked, `be` the network's.
 *
 *     sockaddr_in   [family:u16le][port:u16be][address:4][zero:8]                    16 bytes
 *     sockaddr_in6  [family:u16le][port:u16be][flow:4][address:16][scope:u32le]      28 bytes
 *
 * Zones (`fe80::1%eth0`) are the scope: the number of a network interface.
 */
import { isIPv6 } from 'node:net'
import { type AddressFamily, AF_INET, AF_INET6, type Libc } from './libc.ts'

const SOCKADDR_IN_SIZE = 16
/** The larger of the two. */
export const SOCKADDR_SIZE = 28

const PORT = 2
const ADDRESS_IN = 4
const ADDRESS_IN6 = 8
const SCOPE = 24

export interface Endpoint {
  readonly address: string
  readonly port: number
}

export function familyOf(address: string): AddressFamily {
  return isIPv6(address) ? AF_INET6 : AF_INET
}

/** @throws {RangeError} for what is no address, or names no interface */
export function encodeSockaddr(libc: Libc, { address, port }: Endpoint): Uint8Array {
  const family = familyOf(address)
  const isV6 = family === AF_INET6
  const bytes = new Uint8Array(new ArrayBuffer(isV6 ? SOCKADDR_SIZE : SOCKADDR_IN_SIZE))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, family, true)
  view.setUint16(PORT, port)
  const [literal, zone] = address.split('%') as [string, string?]
  const target = bytes.subarray(isV6 ? ADDRESS_IN6 : ADDRESS_IN)
  if (!libc.parseAddress(family, literal, target)) throw new RangeError(`no address: ${address}`)
  if (zone !== undefined) view.setUint32(SCOPE, scopeOf(libc, zone), true)
  return bytes
}

function scopeOf(libc: Libc, zone: string): number {
  const index = /^\d+$/.test(zone) ? Number(zone) : libc.interfaceIndex(zone)
  if (index === 0) throw new RangeError(`no network interface ${zone}`)
  return index
}

/**
 * @param size as the kernel has filled it in
 * @returns undefined for neither of the two structures
 */
export function decodeSockaddr(libc: Libc, bytes: Uint8Array, size: number): Endpoint | undefined {
  if (size > bytes.length || size < SOCKADDR_IN_SIZE) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, size)
  const family = view.getUint16(0, true)
  const port = view.getUint16(PORT)
  if (family === AF_INET) {
    return { address: libc.addressText(family, bytes.subarray(ADDRESS_IN, ADDRESS_IN + 4)), port }
  }
  if (family !== AF_INET6 || size < SOCKADDR_SIZE) return undefined
  const address = libc.addressText(family, bytes.subarray(ADDRESS_IN6, SCOPE))
  const scope = view.getUint32(SCOPE, true)
  const isZoned = isLinkLocal(bytes) && scope !== 0
  return { address: isZoned ? `${address}%${libc.interfaceName(scope)}` : address, port }
}

/** Tells whether it is in fe80::/10, the only addresses that Node prints with their zone. */
function isLinkLocal(bytes: Uint8Array): boolean {
  return bytes[ADDRESS_IN6] === 0xfe && (bytes[ADDRESS_IN6 + 1]! & 0xc0) === 0x80
}
