/**
 * Whether a request is for this server. A page may give its own name the address of a server (DNS
 * rebinding); its requests still say that name. Known names are loopback's, the bound one and those
 * configured; bound to every address, any number is right, because rebinding needs a name.
 */
import { isIP } from 'node:net'

/** @returns whether a Host header names this server */
export function hostCheck(
  host: string,
  allowedHosts: readonly string[],
): (header: string) => boolean {
  const names = new Set([host, ...allowedHosts].map(hostName))
  const isWildcard = host === '' || host === '0.0.0.0' || host === '::'
  return (header) => {
    const name = hostName(header)
    if (isLoopback(name)) return true
    return (name !== '' && names.has(name)) || (isWildcard && isIP(name) > 0)
  }
}

/** Reads the name of a Host header in lower case, without port, brackets and a final dot. */
function hostName(header: string): string {
  const text = header.trim().toLowerCase()
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed !== null) return bracketed[1]!
  if (isIP(text) === 6) return text
  return text.replace(/:\d+$/, '').replace(/\.$/, '')
}

/** Tells whether only this machine reaches an address; false for every address at once. */
export function isLoopback(name: string): boolean {
  const isName = name === 'localhost' || /^([a-z\d_-]+\.)+localhost$/.test(name)
  return isName || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
