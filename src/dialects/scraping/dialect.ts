/** The dialect of Prometheus' exposition formats: metrics that the hub scrapes of targets. */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { jobAddresses, sharesSeries } from './client/address.ts'
import { connectSource } from './client/source.ts'
import { createDecoder, encodeScraping } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS, type ScrapingOptions } from './options.ts'
import { ERROR_CODES, METRICS_PATH, NAME, SCHEMES } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Prometheus scraping',
  document: 'How a Prometheus scrapes targets: text, OpenMetrics and protobuf',
  /** The server is the house's own `/metrics`. */
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  schemes: SCHEMES,
  /** The hub's own `/metrics` is there, which it must not scrape. */
  port: HTTP_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Asked for by the hub: no listener of its own has to tell it from others. */
  claims: () => false,
  connectSource,
  sharesSeries,
  ownPeers: (options) => jobAddresses(options as ScrapingOptions),
  createDecoder,
  encode: encodeScraping,
  tryIt: (host, port) => `curl -s ${peerUrl('http', host, port)}${METRICS_PATH}`,
}
