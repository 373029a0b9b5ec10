/**
 * The dialect Semaphore: changes of levers and lamps as lines of text, over UDP and TCP
 * (README.md). Public as `pentameter/semaphore`, were it real; its wire constants as
 * `pentameter/semaphore/spec`.
 */
export type { Decoded } from '../../src/dialects/decoder.ts'
export {
  SemaphoreClient,
  type SemaphoreClientCounts,
  type SemaphoreClientOptions,
} from './client.ts'
export { decodeSemaphore, encodeSemaphore, type Message } from './codec.ts'
export { SemaphoreServer, type SemaphoreServerOptions } from './server.ts'
