/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md).
 */
import type { Kind } from '../../model/index.ts'
import { isContainer } from '../../wire/messagepack.ts'
import { peerUrl, sendCommand } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { STREAM_PORT } from '../options.ts'
import { connectSource } from './client/source.ts'
import { createDecoder, encodeScope, guessTransport } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { wireNameOf } from './map.ts'
import { OPTIONS } from './options.ts'
import { createServer } from './server.ts'
import { ERROR_CODES, NAME } from './spec.ts'

/** Place of the first value of a frame, and the greatest one that is its own byte. */
const VALUE_AT = 4
const SMALL_NUMBER_MAX = 0x7f

/** Says what a distribution is one value of. */
function noteOf(kind: Kind): { readonly note?: string } {
  return kind === 'histogram' || kind === 'summary' ? { note: 'its mean' } : {}
}

export const dialect: Dialect = {
  name: NAME,
  title: 'Scope',
  document: 'How a live viewer is fed: snapshots of all values at the rate it asks for',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  takesQuery: true,
  port: STREAM_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  nameOf: (series, options) => {
    const text = wireNameOf(series, options)
    return text === undefined ? undefined : { text, ...noteOf(series.identity.kind) }
  },
  defaultProfile: 'peer',
  errorCodes: ERROR_CODES,
  speaksFirst: true,

  /**
   * Claims what settings may begin with: a container of MessagePack, or a length of 1 to 65535 and
   * a value that is no small number. So it leaves frames that begin `00 00`, and text, to others:
   * as a length that would be 0, or more than settings can have.
   */
  claims(first) {
    if (first.length === 0) return undefined
    if (isContainer(first[0]!)) return true
    if (first[0] === 0 && first[1] === 0) return false
    for (let i = 2; i < VALUE_AT && i < first.length; i++) if (first[i] !== 0) return false
    return first.length <= VALUE_AT ? undefined : first[VALUE_AT]! > SMALL_NUMBER_MAX
  },

  createServer,
  connectSource,
  guessTransport,
  createDecoder,
  encode: encodeScope,

  /** Sends settings of one second, and shows what comes in two. */
  tryIt: (host, port) =>
    sendCommand(
      ['{kind: settings, sampling_interval: 1000000000}'],
      peerUrl(NAME, host, port),
      ' --for 2',
    ),
}
