/**
 * The dialect Stats Hero: text measurements under a header with version and length, over UDP and
 * TCP (README.md).
 */
import { peerUrl, sendCommand } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { TEXT_PORT } from '../options.ts'
import { connectEmitter } from './client/emitter.ts'
import { createDecoder, encodeStatsHero } from './codec.ts'
import { type EmitMapping, exampleLine } from './emit.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { graphite } from './graphite/output.ts'
import { EMIT_DEFAULTS, OPTIONS } from './options.ts'
import { createServer } from './server.ts'
import { BAR, ERROR_CODES, NAME } from './spec.ts'

const ONE = 0x31

export const dialect: Dialect = {
  name: NAME,
  title: 'Stats Hero',
  document: 'How an application pushes meters, meter readers, gauges and histograms as text',
  roles: { server: 'receive', client: 'emit' },
  transports: ['udp', 'tcp'],
  port: TEXT_PORT,
  options: OPTIONS,
  threadModule: import.meta.url,
  exportRules: () => EXPORT_RULES,
  nameOf: ({ identity }, { emit }) => {
    const chosen = (emit ?? {}) as Partial<EmitMapping>
    return {
      text: exampleLine(identity, { ...EMIT_DEFAULTS, ...chosen }),
      note: 'with the value 1',
    }
  },
  defaultProfile: EMIT_DEFAULTS.profile,
  errorCodes: ERROR_CODES,
  speaksFirst: false,

  /** Claims `1|` (§2): everything else on the shared port is left to other dialects. */
  claims(first) {
    if (first.length === 0) return undefined
    if (first[0] !== ONE) return false
    return first.length === 1 ? undefined : first[1] === BAR
  },

  /** Explains the header of a version that does not exist yet, which no other port expects (§2). */
  explainForeign(first) {
    const start = Buffer.from(first.subarray(0, 32)).toString('latin1')
    return /^\d+\|\d+(\n|$)/.test(start) ? 'looks like another Stats Hero version' : undefined
  },

  createServer,
  connectEmitter,
  relayNote: 'estatsd drops sample rates, so it needs statshero.emit.histogramAs: repeat',
  outputs: [graphite],
  createDecoder,

  encode: encodeStatsHero,

  packetOf(line) {
    const body = Buffer.from(`${line}\n`)
    return Buffer.concat([Buffer.from(`1|${body.length}\n`), body])
  },

  tryIt(host, port) {
    const url = peerUrl(`${NAME}+tcp`, host, port)
    const isHome = url === peerUrl(`${NAME}+tcp`, '127.0.0.1', TEXT_PORT.number)
    return sendCommand(['hello.world:1|m'], isHome ? undefined : url)
  },
}
