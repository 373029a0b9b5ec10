/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md). Public as `pentameter/scope`.
 */
import type { Dialect } from '../dialect.ts'
import { connectSource } from './client/source.ts'
import { createDecoder, encode, guessTransport } from './codec.ts'
import { createServer } from './server.ts'
import { ERROR_CODES, NAME } from './spec.ts'

export type { MirroredSeries, Sample } from './client/mirror.ts'
export { SOURCE_LABEL } from './client/source.ts'
export {
  type ClientCounts,
  type ClientState,
  type ClientStatus,
  ScopeClient,
  type ScopeClientContext,
  type ScopeObserver,
} from './client.ts'
export { EncodeError, encodeInfo, encodeSettings, encodeSnapshot } from './codec/encode.ts'
export { detectFraming, type FramingVerdict, frame } from './codec/framing.ts'
export { type PlainMessage, toPlain } from './codec/messages.ts'
export { decodePacket, type PacketOptions } from './codec/packet.ts'
export { PacketDecoder } from './codec/packet-decoder.ts'
export { type PacketSink, PacketStream, type PacketStreamOptions } from './codec/packet-stream.ts'
export { decodeSettings } from './codec/settings.ts'
export { type Handshake, SettingsStream } from './codec/settings-stream.ts'
export { SnapshotTemplate } from './codec/snapshot-template.ts'
export { createDecoder, encode } from './codec.ts'
export {
  type ExposedSeries,
  type ExposeOptions,
  type Exposure,
  exposeSeries,
  metricIdentity,
  metricMetadata,
  type OmitReason,
} from './map.ts'
export { foldName, type SplitName, splitName, unfoldName } from './names.ts'
export { clientOptions, serverOptions } from './options.ts'
export { type CallbackSeries, CallbackSource } from './server/callback-source.ts'
export { type Tick, TickGrid } from './server/ticks.ts'
export { ScopeServer, type ScopeServerContext } from './server.ts'
export * from './spec.ts'

export const scope: Dialect = {
  name: NAME,
  title: 'Scope',
  document: 'How a live viewer is fed: snapshots of all values at the rate it asks for',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  port: 'stream',
  defaultProfile: 'peer',
  errorCodes: ERROR_CODES,
  speaksFirst: true,

  /**
   * Everything but `00 00`, with which only other dialects' frames begin: as a length it would be
   * 0 or at least 65536, neither of which settings can have.
   */
  claims(first) {
    if (first.length === 0) return undefined
    if (first[0] !== 0) return true
    return first.length === 1 ? undefined : first[1] !== 0
  },

  createServer,
  connectSource,
  guessTransport,
  createDecoder,
  encode,

  /** Sends bare settings of one second, `[1000000000]`, and shows the first packets that come. */
  tryIt(host, port) {
    const settings = '\\x91\\xce\\x3b\\x9a\\xca\\x00'
    const dialogue = `exec 3<>/dev/tcp/${host}/${port}; printf '${settings}' >&3`
    return `bash -c "${dialogue}; timeout 2 cat <&3 | od -c | head -20"`
  },
}
