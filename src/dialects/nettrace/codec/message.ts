/**
 * Events as plain objects, one JSON line each: provider, name, id and time of an event, and the
 * values of its payload by name. NaN and infinities are texts, and so are integers beyond 2^53.
 */
import type { EventMetadata, Field, FieldValue, Payload, Trace } from '../spec.ts'
import { TYPE } from '../spec.ts'
import type { NetTraceEvent } from './event.ts'
import { defineOwn, isoText } from './payload.ts'

/** Value of a field as JSON has it. */
export type PlainValue =
  | string
  | number
  | boolean
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue }

/** An event as `pentameter decode` prints it. */
export interface EventMessage {
  readonly provider: string
  /** Name in the event's description; empty for events of the runtime itself. */
  readonly event: string
  readonly id: number
  /** ISO 8601 of UTC, with 100 ns. */
  readonly time: string
  /** Milliseconds since the session began. */
  readonly relMs: number
  readonly thread: number
  /** Values by name; null for none; `opaqueBytes` for those of which the stream says no fields. */
  readonly payload: { readonly [name: string]: PlainValue } | null
}

/** Event whose payload is what a counter says, whatever its provider. */
export const COUNTERS_EVENT = 'EventCounters'
const COUNTERS_FIELD = 'Payload'

export function messageOf(event: NetTraceEvent, trace: Trace): EventMessage {
  const { metadata, ticks, osThread: thread } = event
  const { provider, name, eventId: id } = metadata
  const time = timeText(ticks, trace)
  const relMs = (ticks * 1000) / Number(trace.frequency)
  return { provider, event: name, id, time, relMs, thread, payload: payloadOf(event) }
}

function payloadOf({ metadata, payload, payloadSize }: NetTraceEvent): EventMessage['payload'] {
  if (payloadSize === 0) return null
  if (payload === undefined) return { opaqueBytes: payloadSize }
  const plain = plainObject(metadata.fields, payload)
  return metadata.name === COUNTERS_EVENT ? (innerObject(plain) ?? plain) : plain
}

/** Gives the members of `Payload` in the one field without a name, where a counter's values are. */
export function countersOf({ metadata, payload }: NetTraceEvent): Payload | undefined {
  if (metadata.name !== COUNTERS_EVENT || payload === undefined) return undefined
  return innerObject(payload)
}

function innerObject<T>(payload: {
  readonly [name: string]: T
}): { [name: string]: T } | undefined {
  const outer = payload[''] as { [name: string]: unknown } | undefined
  const inner = typeof outer === 'object' && outer !== null ? outer[COUNTERS_FIELD] : undefined
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return undefined
  return inner as { [name: string]: T }
}

/** Fields around those of a counter. */
export function countersFields(fields: readonly Field[]): Field[] {
  const inner = { name: COUNTERS_FIELD, type: TYPE.object, fields }
  return [{ name: '', type: TYPE.object, fields: [inner] }]
}

/** Tells whether events of this description have the shape of a counter's. */
export function isCounters({ name, fields }: Pick<EventMetadata, 'name' | 'fields'>): boolean {
  const inner = fields.length === 1 && fields[0]!.name === '' ? fields[0]!.fields : undefined
  return name === COUNTERS_EVENT && inner?.length === 1 && inner[0]!.name === COUNTERS_FIELD
}

/** Time of an event, UTC, with the 100 ns that are over. */
function timeText(ticks: number, { syncTimeMs, frequency }: Trace): string {
  const perSecond = Number(frequency)
  if (!(perSecond > 0) || !Number.isSafeInteger(ticks)) return isoText(Number.NaN, 0)
  const seconds = Math.floor(ticks / perSecond)
  const hundredNs = Math.floor(((ticks - seconds * perSecond) * 10_000_000) / perSecond)
  const ms = Math.floor(hundredNs / 10_000)
  return isoText(syncTimeMs + seconds * 1000 + ms, hundredNs % 10_000)
}

function plainObject(
  fields: readonly Field[],
  payload: Payload,
): { readonly [name: string]: PlainValue } {
  const plain: { [name: string]: PlainValue } = {}
  for (const field of readFields(fields)) {
    const { name } = field
    const value = plainValue(field, payload[name]!)
    if (name === '__proto__') defineOwn(plain, name, value)
    else plain[name] = value
  }
  return plain
}

/** Fields by the list that they are in: those of which a payload has the values. */
const READ_FIELDS = new WeakMap<readonly Field[], readonly Field[]>()

/** Leaves out fields whose name comes again: of these the last one is in the payload. */
function readFields(fields: readonly Field[]): readonly Field[] {
  let read = READ_FIELDS.get(fields)
  if (read === undefined) {
    read = [...new Map(fields.map((field) => [field.name, field])).values()]
    READ_FIELDS.set(fields, read)
  }
  return read
}

function plainValue(field: Field, value: FieldValue): PlainValue {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return plainNumber(field.type, value)
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => plainValue(field.element!, each))
  return plainObject(field.fields ?? [], value as Payload)
}

function plainNumber(type: number, value: number): string | number {
  if (!Number.isFinite(value)) return String(value)
  return type === TYPE.f32 ? shortFloat(value) : value
}

/** Gives the number of fewest digits that is this 32 bit float: 1.0015682, not 1.00156819820…. */
function shortFloat(value: number): number {
  if (Object.is(value, lastFloat)) return lastShort
  lastFloat = value
  lastShort = shorten(value)
  return lastShort
}

/** Float that was asked for last: counters of one interval have the same length of it. */
let lastFloat = 0
let lastShort = 0

function shorten(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(9))
}
