/** OTLP/HTTP as a format of deliveries, with what to change in the configuration where it fails. */
import type { DeliveryFormat } from '../../../peers/delivery.ts'
import { parseResponse } from './json.ts'
import { decodeResponse } from './protobuf.ts'
import { CONTENT_TYPES, type Encoding } from './request.ts'

const HINTS: Readonly<Record<number, string>> = {
  400: 'the receiver does not understand the request: see its log, or try otlp.encoding json',
  401: 'set otlp.headers, as authorization',
  403: 'set otlp.headers, as authorization',
  404: 'set the path in otlp.url: most receivers take /v1/metrics',
  405: 'set the path in otlp.url: most receivers take /v1/metrics',
  413: 'raise the limit of bodies at the receiver to at least 4 MiB',
  415: 'set otlp.encoding to json, or otlp.compression to none',
}

export function otlpFormat(encoding: Encoding): DeliveryFormat {
  return {
    contentType: CONTENT_TYPES[encoding],
    hints: HINTS,
    unreachableHint: 'see whether it runs and takes OTLP over HTTP, by default on port 4318',
    overloadedHint: 'the receiver asks for less: raise otlp.intervalMs if this goes on',
    readAnswer: (contentType, bytes) =>
      contentType.startsWith(CONTENT_TYPES.json)
        ? parseResponse(new TextDecoder().decode(bytes))
        : decodeResponse(bytes),
  }
}
