/** The dialect OpenTelemetry: metrics that programs push by OTLP/HTTP (README.md). */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { createDecoder, encodeOpenTelemetry } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, JSON_TYPE, NAME, PATH } from './spec.ts'

/** A gauge by hand. */
const EXAMPLE =
  '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"room.temperature","unit":"Cel",' +
  '"gauge":{"dataPoints":[{"asDouble":21.5}]}}]}]}]}'

export const dialect: Dialect = {
  name: NAME,
  title: 'OpenTelemetry',
  document: 'How programs push metrics to a collector: OTLP over HTTP, in protobuf or JSON',
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
  encode: encodeOpenTelemetry,
  tryIt: (host, port) =>
    `curl -s -H 'Content-Type: ${JSON_TYPE}' -d '${EXAMPLE}' ${peerUrl('http', host, port)}${PATH}`,
}
