/**
 * The dialect EventCounters: windows of counters as events, one series per interval asked for
 * (README.md).
 */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { connectSource, sharesSeries } from './client/source.ts'
import { describeCounter, filterText } from './codec/description.ts'
import { buildMetaData } from './codec/metadata.ts'
import { createDecoder, encodeEventCounters } from './codec.ts'
import { exportRules } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, INTERVAL_ARGUMENT, NAME, PATH } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'EventCounters',
  document: 'How .NET’s EventCounters serve several clients, each at its own interval',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  schemes: ['http', 'https'],
  port: HTTP_PORT,
  options: OPTIONS,
  exportRules,
  nameOf: (series) => {
    const description = describeCounter(series)
    const note = buildMetaData(description.metaData, description.units, 'document')
    return { text: filterText(description), ...(note === '' ? {} : { note }) }
  },
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Served on the hub's HTTP port: no listener of its own has to tell it from others. */
  claims: () => false,
  connectSource,
  sharesSeries,
  createDecoder,
  encode: encodeEventCounters,
  tryIt: (host, port) => `curl -sN '${peerUrl('http', host, port)}${PATH}?${INTERVAL_ARGUMENT}=1'`,
}
