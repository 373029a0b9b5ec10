/**
 * The dialect of Prometheus remote write: samples pushed by a Prometheus or an agent (README.md).
 * Public as `pentameter/remotewrite`; its constants as `pentameter/remotewrite/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export { decodeRemoteWrite, encodeRemoteWrite, type WriteRequest } from './codec.ts'
