/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md).
 */
import { peerUrl, sendCommand } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { STREAM_PORT } from '../options.ts'
import { connectSource } from './client/source.ts'
import { createDecoder, encodeScope, guessTransport } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { createServer } from './server.ts'
import { ERROR_CODES, NAME } from './spec.ts'

/** Place of the first value of a frame, and the greatest one that is its own byte. */
const VALUE_AT = 4
const SMALL_NUMBER_MAX = 0x7f

export const dialect: Dialect = {
  name: NAME,
  title: 'Scope',
  document: 'How a live viewer is fed: snapshots of all values at the rate it asks for',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  port: STREAM_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  defaultProfile: 'peer',
  errorCodes: ERROR_CODES,
  speaksFirst: true,

  /**
   * Claims everything but frames of other dialects, which begin `00 00`: as a length it would be 0
   * or at least 65536, neither of which settings can have. Other lengths that begin with 0 have
   * settings behind them, a value of MessagePack that is no small number.
   */
  claims(first) {
    if (first.length === 0) return undefined
    if (first[0] !== 0) return true
    if (first[1] === 0) return false
    return first.length < VALUE_AT + 1 ? undefined : first[VALUE_AT]! > SMALL_NUMBER_MAX
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
