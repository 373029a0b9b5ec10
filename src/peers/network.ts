/**
 * Network of an address: the part that its owner did not choose. A machine with IPv6 may have 2^64
 * addresses, so limits of an address hold for all of these.
 */
import { isIPv6 } from 'node:net'

/** Prefix of an IPv4 address as a socket for both families has it (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i
const GROUPS = 8
/** Groups of the network, 64 bits. */
const NETWORK_GROUPS = 4

/**
 * Gives the network that the limits of an address hold for: of IPv6 the first 64 bits, of IPv4 the
 * address itself, in whatever form; names that are no addresses as they are.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const plain = address.replace(MAPPED, '')
  if (!isIPv6(plain)) return plain
  const [left = [], right] = plain
    .replace(/%.*$/, '')
    .split('::')
    .map((half) => half.split(':').flatMap(groupsOf))
  const zeros = right === undefined ? 0 : GROUPS - left.length - right.length
  const groups = [...left, ...new Array<string>(zeros).fill('0'), ...(right ?? [])]
  const network = groups.slice(0, NETWORK_GROUPS)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Lists the groups of a part between colons; an IPv4 address at the end is two. */
function groupsOf(part: string): string[] {
  if (part === '') return []
  return part.includes('.') ? ['0', '0'] : [part]
}
