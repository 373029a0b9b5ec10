/** The dialect of Prometheus remote write: samples that a Prometheus or an agent pushes. */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { connectTotals } from './client/emitter.ts'
import { createDecoder, encodeRemoteWrite } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME, PATH, PROTOBUF_TYPE, SCHEMES } from './spec.ts'

/** A gauge by hand, without a time: as of when it comes. */
const EXAMPLE = {
  timeseries: [
    {
      labels: [{ name: '__name__', value: 'room_temperature' }],
      samples: [{ value: 21.5 }],
    },
  ],
}

export const dialect: Dialect = {
  name: NAME,
  title: 'Prometheus remote write',
  document: 'How a Prometheus pushes samples to other stores: remote write 1.0 and 2.0',
  roles: { server: 'receive', client: 'emit' },
  transports: ['tcp'],
  schemes: SCHEMES,
  port: HTTP_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Served on the hub's HTTP port: no listener of its own has to tell it from others. */
  claims: () => false,
  connectTotals,
  createDecoder,
  encode: encodeRemoteWrite,
  tryIt: (host, port) =>
    `echo '${JSON.stringify(EXAMPLE)}' | npx pentameter encode ${NAME} | ` +
    `curl -s -H 'Content-Type: ${PROTOBUF_TYPE}' -H 'Content-Encoding: snappy' ` +
    `--data-binary @- ${peerUrl('http', host, port)}${PATH}`,
}
