/** Exemplars of a series: prompb's message Exemplar, of both versions, as one of the model. */
import {
  EXEMPLAR_LENGTH_LIMIT,
  type Exemplar,
  lengthOfLabels,
  sortLabels,
} from '../../../model/index.ts'
import { decodeMessage } from '../../../wire/protobuf/decode.ts'
import type { JsonMessage } from '../../../wire/protobuf/schema.ts'
import { nameOf, type OpenedRequest } from './request-scan.ts'
import { EXEMPLARS } from './schema.ts'

type Label = { readonly name?: string; readonly value?: string }

/** Bytes that a character of a label may have. */
const CHARACTER_BYTES = 4

/**
 * Reads `[labels 1: Label, or references]… [value 2: double] [timestamp 3: int64, ms]`; undefined
 * for one without a finite value, or with more in its labels than OpenMetrics lets one have.
 * @param nowMs time of one that says none
 */
export function readExemplar(
  request: OpenedRequest,
  from: number,
  to: number,
  nowMs: number,
): Exemplar | undefined {
  const message = decodeMessage(EXEMPLARS[request.version], request.bytes, from, to)
  if (typeof message === 'string') return undefined
  const value = Number(message.value ?? 0)
  const ownMs = Number(message.timestamp ?? 0)
  const labels = labelsOf(request, message)
  if (labels === undefined) return undefined
  const names = new Set(labels.map(([name]) => name))
  const isSound = Number.isFinite(value) && names.size === labels.length && !names.has('')
  if (!isSound || lengthOfLabels(labels) > EXEMPLAR_LENGTH_LIMIT) return undefined
  return { value, timeMs: ownMs > 0 ? ownMs : nowMs, labels: sortLabels(labels) }
}

function labelsOf(request: OpenedRequest, message: JsonMessage): [string, string][] | undefined {
  if (request.version === 1) {
    const labels = (message.labels ?? []) as readonly Label[]
    return labels.map(({ name = '', value = '' }) => [name, value])
  }
  const { bytes, symbols } = request
  const references = (message.labelsRefs ?? []) as readonly number[]
  if (references.length % 2 !== 0) return undefined
  const texts: string[] = []
  let left = CHARACTER_BYTES * EXEMPLAR_LENGTH_LIMIT
  for (const reference of references) {
    if (reference >= symbols.count) return undefined
    const from = symbols.ranges[2 * reference]!
    const to = symbols.ranges[2 * reference + 1]!
    // an empty text counts as a byte: there may be as many as there are references
    left -= Math.max(1, to - from)
    if (left < 0) return undefined
    const text = nameOf(bytes, from, to)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return Array.from({ length: texts.length / 2 }, (_, i) => [texts[2 * i]!, texts[2 * i + 1]!])
}
