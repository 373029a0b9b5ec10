/**
 * Exemplars of points: what identifies a trace, and the attributes that the SDK has filtered from
 * the stream, are labels of an exemplar of the model; and back.
 */
import {
  EXEMPLAR_LENGTH_LIMIT,
  type Exemplar,
  lengthOfLabels,
  sortLabels,
} from '../../../model/index.ts'
import { decodeMessage } from '../../../wire/protobuf/decode.ts'
import type { JsonMessage } from '../../../wire/protobuf/schema.ts'
import { EXEMPLAR } from './schema.ts'
import { labelText } from './texts.ts'

/** Labels of the ids, as OpenMetrics' exemplars and Prometheus' receiver of OTLP have them. */
const TRACE = 'trace_id'
const SPAN = 'span_id'
const IDS = [
  { label: TRACE, field: 'traceId', form: /^[0-9a-f]{32}$/i },
  { label: SPAN, field: 'spanId', form: /^[0-9a-f]{16}$/i },
] as const
const NS_PER_MS = 1e6

type Attribute = { readonly key?: string; readonly value?: JsonMessage }

/**
 * Reads a message Exemplar; undefined for one without a finite value. Attributes beyond the length
 * that labels of an exemplar may have are left out, the ids never.
 * @param timeMs for one that does not say its own
 */
export function exemplarAt(
  bytes: Uint8Array,
  from: number,
  to: number,
  timeMs: number,
): Exemplar | undefined {
  const message = decodeMessage(EXEMPLAR, bytes, from, to)
  if (typeof message === 'string') return undefined
  const { asDouble, asInt, timeUnixNano, filteredAttributes = [] } = message
  const value = Number(asDouble ?? asInt ?? Number.NaN)
  if (!Number.isFinite(value)) return undefined
  const labels: [string, string][] = []
  for (const { label, field } of IDS) {
    const id = message[field]
    if (typeof id === 'string' && id !== '') labels.push([label, id])
  }
  for (const { key = '', value: own } of filteredAttributes as readonly Attribute[]) {
    const pair: [string, string] = [key, labelText(own)]
    const isTaken = key === '' || labels.some(([known]) => known === key)
    if (isTaken || lengthOfLabels([...labels, pair]) > EXEMPLAR_LENGTH_LIMIT) continue
    labels.push(pair)
  }
  const ownMs = Math.round(Number(timeUnixNano ?? 0) / NS_PER_MS)
  return { value, timeMs: ownMs > 0 ? ownMs : timeMs, labels: sortLabels(labels) }
}

/** Writes an exemplar in the words of OTLP/JSON. */
export function exemplarMessage({ value, timeMs, labels }: Exemplar): JsonMessage {
  const message: JsonMessage = {
    timeUnixNano: `${BigInt(Math.round(timeMs * 1000)) * 1000n}`,
    asDouble: value,
  }
  const ids = new Set<string>()
  for (const { label, field, form } of IDS) {
    const id = labels.find(([key]) => key === label)?.[1]
    if (id === undefined || !form.test(id)) continue
    message[field] = id
    ids.add(label)
  }
  const rest = labels.filter(([key]) => !ids.has(key))
  message.filteredAttributes = rest.map(([key, text]) => ({ key, value: { stringValue: text } }))
  return message
}
