/**
 * The way through a request to its points, one at a time: no object and no string is made. Fields
 * of a message may come in any order, so that each is looked through for what its points need
 * before these are visited. The request has passed {@link countingPoints}: its lengths fit.
 */

import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import { DATA_FIELDS, type DataKind } from '../spec.ts'

const KINDS: readonly (DataKind | undefined)[] = kindsByField()

/** A part of the request's bytes; empty for an absent field. */
export interface Range {
  from: number
  to: number
}

const range = (): Range => ({ from: 0, to: 0 })

export class PointScan {
  readonly bytes: Uint8Array
  /** Messages Resource and InstrumentationScope. */
  readonly resource = range()
  readonly scope = range()
  /** Texts of the metric. */
  readonly name = range()
  readonly description = range()
  readonly unit = range()
  kind: DataKind = 'gauge'
  /** 0 where it is not stated, or the kind has none. */
  temporality = 0
  isMonotonic = false
  /** The point. */
  readonly point = range()
  /** Number of the scope and the metric of the request that the point is of, from 1. */
  scopeNumber = 0
  metricNumber = 0
  readonly #request = new ProtobufReader()
  readonly #resourceMetrics = new ProtobufReader()
  readonly #scopeMetrics = new ProtobufReader()
  readonly #data = new ProtobufReader()
  readonly #look = new ProtobufReader()

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#request.open(bytes)
    this.#resourceMetrics.open(bytes, 0, 0)
    this.#scopeMetrics.open(bytes, 0, 0)
    this.#data.open(bytes, 0, 0)
  }

  /** Goes to the next point. @returns false behind the last one */
  next(): boolean {
    for (;;) {
      if (found(this.#data, 1)) {
        this.point.from = this.#data.from
        this.point.to = this.#data.to
        return true
      }
      if (found(this.#scopeMetrics, 2)) this.#enterMetric()
      else if (found(this.#resourceMetrics, 2)) this.#enterScope()
      else if (found(this.#request, 1)) this.#enterResource()
      else return false
    }
  }

  #enterResource(): void {
    const { from, to } = this.#request
    this.#resourceMetrics.open(this.bytes, from, to)
    find(this.#look, this.bytes, from, to, 1, this.resource)
  }

  #enterScope(): void {
    const { from, to } = this.#resourceMetrics
    this.#scopeMetrics.open(this.bytes, from, to)
    find(this.#look, this.bytes, from, to, 1, this.scope)
    this.scopeNumber++
  }

  #enterMetric(): void {
    const { from, to } = this.#scopeMetrics
    const look = this.#look
    clear(this.name)
    clear(this.description)
    clear(this.unit)
    this.#data.open(this.bytes, 0, 0)
    look.open(this.bytes, from, to)
    while (look.next()) {
      if (look.wire !== LENGTH_DELIMITED) {
        look.skip()
        continue
      }
      if (look.field === 1) copy(this.name, look)
      else if (look.field === 2) copy(this.description, look)
      else if (look.field === 3) copy(this.unit, look)
      const kind = KINDS[look.field]
      if (kind === undefined) continue
      this.kind = kind
      this.#data.open(this.bytes, look.from, look.to)
    }
    this.#lookAtData()
    this.metricNumber++
  }

  /** Finds what the data say of all their points, which stands behind these. */
  #lookAtData(): void {
    const look = this.#look
    this.temporality = 0
    this.isMonotonic = false
    look.open(this.bytes, this.#data.at, this.#data.end)
    while (look.next()) {
      if (look.wire !== VARINT) {
        look.skip()
        continue
      }
      const value = look.varint()
      if (look.field === 2) this.temporality = value
      else if (look.field === 3) this.isMonotonic = value !== 0
    }
  }
}

function kindsByField(): (DataKind | undefined)[] {
  const kinds: (DataKind | undefined)[] = []
  for (const [kind, field] of Object.entries(DATA_FIELDS)) kinds[field] = kind as DataKind
  return kinds
}

/** Goes to the next message of a field. */
function found(reader: ProtobufReader, field: number): boolean {
  while (reader.next()) {
    if (reader.field === field && reader.wire === LENGTH_DELIMITED) return true
    reader.skip()
  }
  return false
}

/** Finds the message of a field; of several ones the last. */
function find(
  look: ProtobufReader,
  bytes: Uint8Array,
  from: number,
  to: number,
  field: number,
  target: Range,
): void {
  clear(target)
  look.open(bytes, from, to)
  while (found(look, field)) copy(target, look)
}

function copy(target: Range, { from, to }: ProtobufReader): void {
  target.from = from
  target.to = to
}

function clear(target: Range): void {
  target.from = 0
  target.to = 0
}
