/**
 * Guesses what first bytes are that a listener could not take: a dialect that listens elsewhere, or
 * one of some protocols that come to the ports of metrics by mistake. A guess says what to do.
 */

import type { Transport } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'

/** Code of errors whose bytes no dialect of a listener claims. */
export const UNCLAIMED = 'unclaimed'

/** Bytes that are looked at. */
const LOOKED_AT_BYTES = 128

/** A dialect that a hub speaks, and where. */
interface Spoken {
  readonly dialect: Dialect
  /** Name of its listener, and the address of that, `udp+tcp 127.0.0.1:8125`. */
  readonly listener: string
  readonly address: string
}

/** Surroundings of a hub that bytes have come to. */
export interface Surroundings {
  readonly spoken: readonly Spoken[]
  /** Address of page and API, `127.0.0.1:4000`. */
  readonly httpAddress: string
}

interface Signature {
  readonly what: string
  /** Pattern of the bytes as Latin-1 text. */
  readonly text?: RegExp
  /** The same of the bytes in hex. */
  readonly hex?: RegExp
  /** Advice what to do; without it the protocol is one that no port speaks. */
  readonly advice?: string | ((surroundings: Surroundings) => string)
}

const NO_LOGS = 'this hub takes metrics, not logs'

/**
 * Signatures by first bytes, the surest first; patterns are of the protocols' own documents: RFC
 * 9113 3.4, RFC 8446 5.1, RFC 6347 4.1, RFC 4253 4.2, the PROXY protocol 2.1 and 2.2, RFC 9112 3,
 * RFC 5424 6, RFC 3164 4.1, RFC 3954 5.1, RFC 7011 3.1, RFC 1035 4.1.1, and what the projects of
 * the others say of their formats.
 */
const SIGNATURES: readonly Signature[] = [
  {
    what: 'HTTP/2 without TLS (gRPC, for instance)',
    text: /^PRI \* HTTP\/2\.0\r\n/,
    advice: ({ httpAddress }) => `page, API and /metrics are HTTP/1.1, at http://${httpAddress}`,
  },
  {
    what: 'TLS',
    hex: /^16030[0-4]/,
    advice: 'this port is without TLS: turn it off at the sender, or end it in front of the hub',
  },
  {
    what: 'DTLS',
    hex: /^16fef[df]/,
    advice: 'this port is without encryption: turn it off at the sender',
  },
  { what: 'SSH', text: /^SSH-\d/ },
  {
    what: 'the PROXY protocol of a load balancer',
    text: /^(PROXY (TCP|UNKNOWN)|\r\n\r\n\0\r\nQUIT\n)/,
    advice: 'turn it off there; this port takes what comes behind it',
  },
  {
    what: 'HTTP',
    text: /^(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|TRACE) [/*\w]/,
    advice: ({ httpAddress }) => `page, API and /metrics are at http://${httpAddress}`,
  },
  { what: 'MQTT', hex: /^10(..){1,4}00(044d515454|064d5149736470)/ },
  { what: 'PostgreSQL', hex: /^0000....(00030000|04d2162f)/ },
  { what: 'Redis', text: /^(\*\d+\r\n\$\d+\r\n|PING\r\n)/ },
  {
    what: 'syslog',
    text: /^(\d{1,5} )?<\d{1,3}>(\d{1,2} |[A-Z][a-z]{2} [ \d]\d \d\d:)/,
    advice: NO_LOGS,
  },
  { what: 'GELF', text: /^\{.{0,100}"short_message"\s*:/s, advice: NO_LOGS },
  { what: 'GELF in chunks', hex: /^1e0f/, advice: NO_LOGS },
  { what: 'NetFlow or IPFIX', hex: /^00(05|09|0a)00[01].(..){16}/ },
  { what: 'collectd', hex: /^000000[0-4].(..){1,64}00000[18]00/ },
  {
    what: 'statsd',
    text: /^[^\s:|]{1,100}:[-+]?[\d.]+(e[-+]?\d+)?(:[-+\d.]+)*\|(c|g|ms|s|h|d)(?![a-z])/,
  },
  { what: 'an event or service check of DogStatsD', text: /^(_e\{\d+,\d+\}:|_sc\|)/ },
  {
    what: 'text for Prometheus',
    text: /^(# (HELP|TYPE|UNIT|EOF)\b|[A-Za-z_:][\w:]{0,99}\{[^}\n]{0,99}\} [-+\d.NI])/,
    advice: 'the hub is scraped at /metrics, and does not scrape',
  },
  {
    what: 'a line of InfluxDB',
    text: /^[^\s,=|:]{1,99}(,[^\s=,]{1,99}=[^\s,]{1,99})* [^\s=,]{1,99}=("|[-+]?\d|[tfTF])/,
  },
  {
    what: "Graphite's plain text",
    text: /^[\w.;=~-]{1,99} [-+]?[\d.]+(e[-+]?\d+)? -?\d{1,13}(\.\d+)?\r?(\n|$)/i,
  },
  { what: "a pickle of Graphite's", hex: /^(..){4}(800[2-5]|286c)/ },
  { what: 'gzip', hex: /^1f8b08/, advice: 'compressed data go inside a frame of their dialect' },
  { what: 'JSON', text: /^\s{0,9}(\{\s*["}]|\[\s*["[\]{])/ },
  { what: 'DNS', hex: /^....[08][0-5][02-8].000[0-4]00..00..00..[0-3]./ },
]

/**
 * Guesses what bytes are.
 * @param first first bytes of a datagram or connection, of which 128 are looked at
 * @param of name of the listener that they came to, or of the dialect that could not read them
 * @returns the guess with what to do, a sentence without its stop; undefined for no idea
 */
export function guessForeign(
  first: Uint8Array,
  transport: Transport,
  of: string,
  surroundings: Surroundings,
): string | undefined {
  const { spoken } = surroundings
  const listener = spoken.find(({ dialect }) => dialect.name === of)?.listener ?? of
  // a dialect without a port gets nothing that was meant for another one
  if (listener === '') return undefined
  const bytes = first.subarray(0, LOOKED_AT_BYTES)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const inText = buffer.toString('latin1')
  const inHex = buffer.toString('hex')
  const found = SIGNATURES.find(({ text, hex }) => text?.test(inText) || hex?.test(inHex))
  if (found !== undefined) {
    const { what, advice } = found
    if (advice === undefined) return `looks like ${what}, which this version does not speak`
    return `looks like ${what}: ${typeof advice === 'string' ? advice : advice(surroundings)}`
  }
  for (const { dialect, listener: own } of spoken) {
    const words = own === listener ? dialect.explainForeign?.(bytes) : undefined
    if (words !== undefined) return words
  }
  const other = spoken.find(({ dialect, listener: own }) => {
    // what a server that speaks first claims says nothing: its peers may begin with anything
    if (own === listener || dialect.speaksFirst) return false
    return dialect.transports.includes(transport) && dialect.claims(bytes) === true
  })
  return other && `looks like ${other.dialect.title}, which is taken at ${other.address}`
}
