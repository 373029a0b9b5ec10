/**
 * A request as JSON, and as the bytes that the scan of points reads: JSON is turned into protobuf,
 * so that there is one way of points into the hub, with one set of rules.
 */
import { BadField, encodeMessage } from '../../../wire/protobuf/encode.ts'
import { LENGTH_DELIMITED, ProtobufReader } from '../../../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { RESOURCE_METRICS } from './schema.ts'

/** Field of ExportMetricsServiceRequest. */
export const RESOURCE_METRICS_FIELD = 1

/** Writes resources with their metrics, given as OTLP/JSON has them, as one request. */
export function writeRequest(
  resources: readonly unknown[],
  onBadPoint?: (problem: BadField) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new ProtobufWriter()
  for (const each of resources) {
    writer.message(RESOURCE_METRICS_FIELD, () => {
      encodeMessage(RESOURCE_METRICS, each, writer, onBadPoint)
    })
  }
  return writer.finish()
}

/** A request in JSON as protobuf, or why it is none. */
export type ParsedJson =
  | { readonly bytes: Uint8Array; readonly badPoints: number }
  | { readonly code: 'bad_json' | 'too_deep'; readonly detail: string }

/** Reads the text of a request in JSON. Points that are none are left out, and counted. */
export function parseJson(text: string): ParsedJson {
  let badPoints = 0
  try {
    const request: unknown = JSON.parse(text)
    if (typeof request !== 'object' || request === null || Array.isArray(request)) {
      return { code: 'bad_json', detail: 'no object' }
    }
    const { resourceMetrics = [] } = request as { resourceMetrics?: unknown }
    if (!Array.isArray(resourceMetrics)) return { code: 'bad_json', detail: 'resourceMetrics' }
    const bytes = writeRequest(resourceMetrics, () => badPoints++)
    return { bytes, badPoints }
  } catch (error) {
    const isDeep = error instanceof BadField && error.code === 'too_deep'
    return { code: isDeep ? 'too_deep' : 'bad_json', detail: (error as Error).message }
  }
}

/** Paths of the messages that lead to points, by field: each has the one below. */
const LEVELS: readonly (readonly number[])[] = [[1], [2], [2], [5, 7, 9, 10, 11], [1]]

/**
 * Counts the points of a request, whose way there must be whole: what a point holds is not looked
 * at.
 * @returns -1 where a length leads out of its message
 */
export function countPoints(bytes: Uint8Array): number {
  return countBelow(bytes, 0, bytes.length, 0)
}

function countBelow(bytes: Uint8Array, start: number, end: number, level: number): number {
  const fields = LEVELS[level]
  if (fields === undefined) return 1
  const reader = readers[level]!
  reader.open(bytes, start, end)
  let count = 0
  while (reader.next()) {
    if (!fields.includes(reader.field)) {
      reader.skip()
      continue
    }
    if (reader.wire !== LENGTH_DELIMITED) return -1
    const below = countBelow(bytes, reader.from, reader.to, level + 1)
    if (below < 0) return -1
    count += below
  }
  return reader.isBroken ? -1 : count
}

const readers = LEVELS.map(() => new ProtobufReader())
