/**
 * The dialect EventCounters: windows of counters as events, one series per interval asked for
 * (README.md). Public as `pentameter/eventcounters`.
 */
import type { Dialect } from '../dialect.ts'
import { connectSource, sharesSeries } from './client/source.ts'
import { createDecoder, encode } from './codec.ts'
import { ERROR_CODES, INTERVAL_ARGUMENT, NAME, PATH } from './spec.ts'

export * from './client.ts'
export * from './codec.ts'
export * from './display.ts'
export * from './prometheus-names.ts'
export type {
  Boundary,
  CounterSession,
  CounterSource,
  SessionRequest,
} from './server/counter-source.ts'
export {
  type EndpointParts,
  type EndpointReports,
  type ServedSession,
  serveSession,
} from './server/endpoint.ts'
export * from './spec.ts'
export * from './summary.ts'
export * from './window.ts'

export const eventcounters: Dialect = {
  name: NAME,
  title: 'EventCounters',
  document: 'How .NET’s EventCounters serve several clients, each at its own interval',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  schemes: ['http', 'https'],
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Served on the hub's HTTP port: no listener of its own has to tell it from others. */
  claims: () => false,
  connectSource,
  sharesSeries,
  createDecoder,
  encode,
  tryIt: (host, port) => {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    return `curl -sN 'http://${address}${PATH}?${INTERVAL_ARGUMENT}=1'`
  },
}
