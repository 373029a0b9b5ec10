/**
 * The dialect Wallaroo: windows of latencies in 65 bins, pushed by workers over TCP (README.md).
 */
import { peerUrl, sendCommand } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { STREAM_PORT } from '../options.ts'
import { connectEmitter } from './client/emitter.ts'
import { createDecoder, encodeWallaroo, guessTransport } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { wireNamesOf } from './map.ts'
import { ENCODE_OPTIONS, OPTIONS, REPORT_DEFAULTS } from './options.ts'
import { explainForeign } from './server/connection.ts'
import { createServer } from './server.ts'
import { CONNECT, ERROR_CODES, LENGTH_BYTES, METRICS, NAME } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Wallaroo',
  document: 'How a pipeline pushes windows of latencies, binned by powers of two',
  roles: { server: 'receive', client: 'emit' },
  transports: ['tcp'],
  port: STREAM_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  nameOf: ({ identity }, { namePrefix }) => {
    const names = wireNamesOf(identity, namePrefix as string | undefined)
    if (names === undefined) return undefined
    const { application, category, pipeline, worker, name } = names
    const places = [application, pipeline, worker].filter((each) => each !== '')
    return { text: name, note: `${category}, ${places.join(' / ')}` }
  },
  defaultProfile: REPORT_DEFAULTS.profile,
  errorCodes: ERROR_CODES,
  speaksFirst: false,

  /**
   * Claims `00 00`, as every frame below 64 KiB begins and no message of another dialect there, and
   * of longer ones, below 16 MiB, those with a type of ours (§2).
   */
  claims(first) {
    if (first.length === 0) return undefined
    if (first[0] !== 0) return false
    if (first[1] === 0) return true
    if (first.length <= LENGTH_BYTES) return undefined
    const type = first[LENGTH_BYTES]!
    return type >= CONNECT && type <= METRICS
  },

  explainForeign,
  createServer,
  connectEmitter,
  guessTransport,
  createDecoder,

  encode: encodeWallaroo,
  encodeOptions: ENCODE_OPTIONS,

  /** Sends a worker that joins and has no data. */
  tryIt(host, port) {
    const messages = ['{type: connect}', '{type: join, application: a, worker: w}']
    return sendCommand(messages, peerUrl(NAME, host, port))
  },
}
