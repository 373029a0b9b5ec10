/**
 * A request as JSON, and as the bytes that the scan of points reads: JSON is turned into protobuf,
 * so that there is one way of points into the hub, with one set of rules.
 */
import { runNow, type Task } from '../../../time/task.ts'
import { BadField, encodeMessage, encodingMessage } from '../../../wire/protobuf/encode.ts'
import { LENGTH_DELIMITED, ProtobufReader } from '../../../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { PART_BYTES_LIMIT } from '../spec.ts'
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
  return runNow(parsingJson(text))
}

/** Makes a task of {@link parseJson}: all but JSON itself, which is parsed in one step. */
export function* parsingJson(text: string): Task<ParsedJson> {
  let badPoints = 0
  try {
    const request: unknown = JSON.parse(text)
    if (typeof request !== 'object' || request === null || Array.isArray(request)) {
      return { code: 'bad_json', detail: 'no object' }
    }
    const { resourceMetrics = [] } = request as { resourceMetrics?: unknown }
    if (!Array.isArray(resourceMetrics)) return { code: 'bad_json', detail: 'resourceMetrics' }
    const writer = new ProtobufWriter()
    for (const [i, resource] of resourceMetrics.entries()) {
      if (i % ITEMS_PER_STEP === 0) yield
      const place = writer.begin(RESOURCE_METRICS_FIELD)
      yield* encodingMessage(RESOURCE_METRICS, resource, writer, () => badPoints++)
      writer.end(place)
    }
    return { bytes: writer.finish(), badPoints }
  } catch (error) {
    const isDeep = error instanceof BadField && error.code === 'too_deep'
    return { code: isDeep ? 'too_deep' : 'bad_json', detail: (error as Error).message }
  }
}

/** Messages that are gone through in one step. */
const ITEMS_PER_STEP = 512

/** Paths of the messages that lead to points, by field: each has the one below. */
const LEVELS: readonly (readonly number[])[] = [[1], [2], [2], [5, 7, 9, 10, 11], [1]]
const POINT_LEVEL = LEVELS.length

/** Count of the points of a request, or why it can't be read. */
type Counted = number | 'bad_protobuf' | 'too_large'

/**
 * Makes a task that counts the points of a request, whose way there must be whole: what a point
 * holds is not looked at. What each message on the way has besides what leads there is read in one
 * step, tags and lengths included: it may have {@link PART_BYTES_LIMIT}.
 */
export function countingPoints(bytes: Uint8Array): Task<Counted> {
  return new PointCount(bytes).below(0, bytes.length, 0)
}

class PointCount {
  readonly #bytes: Uint8Array
  readonly #readers = LEVELS.map(() => new ProtobufReader())
  #items = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  *below(start: number, end: number, level: number): Task<Counted> {
    const fields = LEVELS[level]!
    const reader = this.#readers[level]!
    reader.open(this.#bytes, start, end)
    let count = 0
    let besides = end - start
    while (reader.next()) {
      if (++this.#items % ITEMS_PER_STEP === 0) yield
      if (!fields.includes(reader.field)) {
        reader.skip()
        continue
      }
      if (reader.wire !== LENGTH_DELIMITED) return 'bad_protobuf'
      const { from, to } = reader
      besides -= to - from
      if (level + 1 === POINT_LEVEL) {
        count++
        continue
      }
      const inner = yield* this.below(from, to, level + 1)
      if (typeof inner !== 'number') return inner
      count += inner
    }
    if (reader.isBroken) return 'bad_protobuf'
    return besides > PART_BYTES_LIMIT ? 'too_large' : count
  }
}
