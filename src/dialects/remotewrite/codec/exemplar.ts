/** Exemplars of a series: prompb's message Exemplar as one of the model. */
import {
  EXEMPLAR_LENGTH_LIMIT,
  type Exemplar,
  lengthOfLabels,
  sortLabels,
} from '../../../model/index.ts'
import { decodeMessage } from '../../../wire/protobuf/decode.ts'
import { EXEMPLAR } from './schema.ts'

type Label = { readonly name?: string; readonly value?: string }

/**
 * Reads `[labels 1: Label]… [value 2: double] [timestamp 3: int64, ms]`; undefined for one without
 * a finite value, or with more in its labels than OpenMetrics lets an exemplar have.
 * @param nowMs time of one that says none
 */
export function readExemplar(
  bytes: Uint8Array,
  from: number,
  to: number,
  nowMs: number,
): Exemplar | undefined {
  const message = decodeMessage(EXEMPLAR, bytes, from, to)
  if (typeof message === 'string') return undefined
  const value = Number(message.value ?? 0)
  const ownMs = Number(message.timestamp ?? 0)
  const labels = ((message.labels ?? []) as readonly Label[]).map(
    ({ name = '', value: text = '' }): [string, string] => [name, text],
  )
  const names = new Set(labels.map(([name]) => name))
  const isSound = Number.isFinite(value) && names.size === labels.length && !names.has('')
  if (!isSound || lengthOfLabels(labels) > EXEMPLAR_LENGTH_LIMIT) return undefined
  return { value, timeMs: ownMs > 0 ? ownMs : nowMs, labels: sortLabels(labels) }
}
