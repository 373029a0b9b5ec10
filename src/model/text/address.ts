/** Host and port as one text, as a URL has them: addresses of IPv6 in brackets (RFC 3986 3.2.2). */

/**
 * Writes `host:port`; a host with colons is put in brackets, unless it has them already.
 * @param host name or address, with a zone (`fe80::1%eth0`) where it has one
 */
export function addressText(host: string, port: number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

/** Gives the host of such a text, without brackets. */
export function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}
