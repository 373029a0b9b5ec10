/** The dialect of Prometheus remote write: samples that a Prometheus or an agent pushes. */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { createDecoder, encodeRemoteWrite } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME, PATH, PROTOBUF_TYPE } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Prometheus remote write',
  document: 'How a Prometheus pushes samples to other stores: remote write 1.0',
  roles: { server: 'receive' },
  transports: ['tcp'],
  port: HTTP_PORT,
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Served on the hub's HTTP port: no listener of its own has to tell it from others. */
  claims: () => false,
  createDecoder,
  encode: encodeRemoteWrite,
  tryIt: (host, port) =>
    `printf '${octal(example())}' | curl -s -H 'Content-Type: ${PROTOBUF_TYPE}' ` +
    `-H 'Content-Encoding: snappy' --data-binary @- ${peerUrl('http', host, port)}${PATH}`,
}

/** Makes a gauge by hand, without a time: as of when it comes. */
function example(): Uint8Array {
  const labels = [{ name: '__name__', value: 'room_temperature' }]
  return encodeRemoteWrite([{ timeseries: [{ labels, samples: [{ value: 21.5 }] }] }])[0]!
}

function octal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
