/** Attributes as texts: those of a point by their places, those of a resource or scope by field. */

import { decodeMessage } from '../../../wire/protobuf/decode.ts'
import { LENGTH_DELIMITED, ProtobufReader } from '../../../wire/protobuf/reader.ts'
import type { JsonMessage } from '../../../wire/protobuf/schema.ts'
import { ATTRIBUTES_BYTES_LIMIT, ATTRIBUTES_LIMIT, type PointErrorCode } from '../spec.ts'
import type { Point } from './point.ts'
import { ATTRIBUTE } from './schema.ts'
import { labelText } from './texts.ts'

export type Attributes = readonly (readonly [key: string, value: string])[]

/** Field of the attributes of a resource, and of a scope; and those of a scope's texts. */
export const RESOURCE_ATTRIBUTES = 1
export const SCOPE_ATTRIBUTES = 3
const SCOPE_NAME = 1
const SCOPE_VERSION = 2

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const reader = new ProtobufReader()

/** Reads the attributes of a point. @returns the code of what is wrong with them */
export function pointAttributes(bytes: Uint8Array, point: Point): Attributes | PointErrorCode {
  const attributes: [string, string][] = []
  for (let i = 0; i < point.attributeCount; i++) {
    const pair = pairOf(bytes, point.attributes[2 * i]!, point.attributes[2 * i + 1]!)
    if (pair === undefined) return 'bad_attributes'
    attributes.push(pair)
  }
  return attributes
}

/** Reads the attributes that are a field of a message. */
export function fieldAttributes(
  bytes: Uint8Array,
  from: number,
  to: number,
  field: number,
): Attributes | PointErrorCode {
  if (to - from > ATTRIBUTES_BYTES_LIMIT) return 'attributes_limit'
  const attributes: [string, string][] = []
  reader.open(bytes, from, to)
  while (reader.next()) {
    if (reader.field !== field || reader.wire !== LENGTH_DELIMITED) {
      reader.skip()
      continue
    }
    if (attributes.length === ATTRIBUTES_LIMIT) return 'attributes_limit'
    const pair = pairOf(bytes, reader.from, reader.to)
    if (pair === undefined) return 'bad_attributes'
    attributes.push(pair)
  }
  return reader.isBroken ? 'bad_attributes' : attributes
}

/** Reads name and version of a scope. */
export function scopeTexts(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly name: string; readonly version: string } {
  let name = ''
  let version = ''
  reader.open(bytes, from, to)
  while (reader.next()) {
    if (reader.wire !== LENGTH_DELIMITED) reader.skip()
    else if (reader.field === SCOPE_NAME) name = textOf(bytes, reader.from, reader.to)
    else if (reader.field === SCOPE_VERSION) version = textOf(bytes, reader.from, reader.to)
  }
  return { name, version }
}

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return utf8.decode(bytes.subarray(from, to))
}

function pairOf(bytes: Uint8Array, from: number, to: number): [string, string] | undefined {
  const pair = decodeMessage(ATTRIBUTE, bytes, from, to)
  if (typeof pair === 'string') return undefined
  const { key, value } = pair
  return typeof key === 'string' ? [key, labelText(value as JsonMessage | undefined)] : undefined
}
