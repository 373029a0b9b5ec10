/**
 * The dialect Stats Hero: text measurements under a header with version and length, over UDP and
 * TCP (README.md). Public as `pentameter/statshero`; its wire constants as
 * `pentameter/statshero/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export {
  type Recorder,
  StatsHeroClient,
  type StatsHeroClientCounts,
  type StatsHeroClientOptions,
} from './client.ts'
export type { Line } from './codec/encode.ts'
export { decodeStatsHero, encodeStatsHero, type Message } from './codec.ts'
export { StatsHeroServer, type StatsHeroServerOptions } from './server.ts'
