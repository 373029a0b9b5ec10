/**
 * The dialect of hubs among each other: closed seconds as messages (README.md). Public as
 * `pentameter/federation`; its constants as `pentameter/federation/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export { decodeFederation, encodeFederation, type FederationMessage } from './codec.ts'
