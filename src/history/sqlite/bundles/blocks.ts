/**
 * Blocks of one series moved, merged and rolled up. Counters and gauges are done column by column,
 * several times as fast as cell by cell; what columns can't say exactly is done by cells.
 */
import type { Block, CounterBlock, GaugeBlock, GaugeSpreads } from '../../codec/index.ts'
import { blockOf, entriesOf, mergeEntries, rolledUp, type WindowFrame } from './entries.ts'

const NONE: ReadonlyMap<number, bigint> = new Map()

/** Merges two blocks of one kind, whose places are of the same window; `b` is the newer one. */
export function mergeBlocks(a: Block, b: Block, frame: WindowFrame): Block {
  if (a.places.at(-1)! < b.places[0]!) return joined(a, b, frame)
  if (b.places.at(-1)! < a.places[0]!) return joined(b, a, frame)
  return blockOf(mergeEntries(entriesOf(a, frame), entriesOf(b, frame)), frame)
}

/** Puts one block behind another one. */
function joined(a: Block, b: Block, frame: WindowFrame): Block {
  const places = new Uint32Array(a.places.length + b.places.length)
  places.set(a.places)
  places.set(b.places, a.places.length)
  if (a.kind === 'counter' && b.kind === 'counter') {
    return { kind: 'counter', places, ...joinedNumbers(a, b) }
  }
  if (a.kind === 'histogram' && b.kind === 'histogram') {
    return { kind: 'histogram', places, cells: [...a.cells, ...b.cells] }
  }
  if (a.kind === 'summary' && b.kind === 'summary') {
    return { kind: 'summary', places, cells: [...a.cells, ...b.cells] }
  }
  if (a.kind !== 'gauge' || b.kind !== 'gauge') {
    throw new TypeError(`blocks of kind ${a.kind} and ${b.kind} do not merge`)
  }
  const spreads = joinedSpreads(a, b)
  const isAtEnd = a.at === undefined && b.at === undefined
  return {
    kind: 'gauge',
    places,
    ...joinedNumbers(a, b),
    ...(isAtEnd ? {} : { at: concat(timesOf(a, frame), timesOf(b, frame)) }),
    ...(spreads === undefined ? {} : { spreads }),
  }
}

type Numbers = Pick<CounterBlock, 'values' | 'wide'>

function joinedNumbers(a: Numbers, b: Numbers): Numbers {
  const values = concat(a.values, b.values)
  if (a.wide.size === 0 && b.wide.size === 0) return { values, wide: NONE }
  const wide = new Map(a.wide)
  for (const [row, value] of b.wide) wide.set(row + a.values.length, value)
  return { values, wide }
}

function concat(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}

function joinedSpreads(a: GaugeBlock, b: GaugeBlock): GaugeSpreads | undefined {
  const behind = b.spreads && {
    ...b.spreads,
    rows: b.spreads.rows.map((row) => row + a.values.length),
  }
  const before = a.spreads
  if (before === undefined || behind === undefined) return before ?? behind
  const rows = new Uint32Array(before.rows.length + behind.rows.length)
  rows.set(before.rows)
  rows.set(behind.rows, before.rows.length)
  return {
    rows,
    first: concat(before.first, behind.first),
    firstAt: concat(before.firstAt, behind.firstAt),
    min: concat(before.min, behind.min),
    max: concat(before.max, behind.max),
    count: concat(before.count, behind.count),
  }
}

/** Times of the last writes, ms from the window's start. */
function timesOf({ at, places }: GaugeBlock, { widthMs }: WindowFrame): Float64Array {
  return at ?? Float64Array.from(places, (place) => (place + 1) * widthMs)
}

/** Puts a block of a window into another one that spans it, in cells as wide or wider. */
export function rolled(block: Block, from: WindowFrame, to: WindowFrame): Block {
  const factor = to.widthMs / from.widthMs
  const shift = (from.startMs - to.startMs) / from.widthMs
  if (factor === 1) return moved(block, shift, from.startMs - to.startMs)
  return (
    (block.kind === 'counter' ? rolledCounter(block, factor, shift) : undefined) ??
    (block.kind === 'gauge' ? rolledGauge(block, from, to) : undefined) ??
    blockOf(rolledUp(entriesOf(block, from), factor, shift), to)
  )
}

/** Moves a block by places, into another window of the same width of cells. */
export function moved(block: Block, shift: number, shiftMs: number): Block {
  if (shift === 0) return block
  const places = block.places.map((place) => place + shift)
  if (block.kind !== 'gauge') return { ...block, places }
  const { at, spreads } = block
  const later = (times: Float64Array): Float64Array => times.map((time) => time + shiftMs)
  return {
    ...block,
    places,
    ...(at === undefined ? {} : { at: later(at) }),
    ...(spreads === undefined ? {} : { spreads: { ...spreads, firstAt: later(spreads.firstAt) } }),
  }
}

/** Adds up; undefined where a sum might not be exact as a double. */
function rolledCounter(
  { places, values, wide }: CounterBlock,
  factor: number,
  shift: number,
): CounterBlock | undefined {
  if (wide.size > 0) return undefined
  const rolledPlaces = new Uint32Array(values.length)
  const sums = new Float64Array(values.length)
  let last = -1
  for (let row = 0; row < values.length; row++) {
    const place = Math.floor((places[row]! + shift) / factor)
    if (last < 0 || rolledPlaces[last] !== place) {
      rolledPlaces[++last] = place
      sums[last] = values[row]!
      continue
    }
    const sum = sums[last]! + values[row]!
    if (sum > Number.MAX_SAFE_INTEGER) return undefined
    sums[last] = sum
  }
  const rows = last + 1
  return {
    kind: 'counter',
    places: rolledPlaces.slice(0, rows),
    values: sums.slice(0, rows),
    wide: NONE,
  }
}

/** Columns of a gauge that grow while it is rolled up; times in ms from the new window's start. */
class GaugeRoll {
  readonly places: Uint32Array
  readonly values: Float64Array
  readonly at: Float64Array
  readonly first: Float64Array
  readonly firstAt: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  /** Number of values; 0 where nothing is known but one value. */
  readonly count: Float64Array
  rows = 0

  constructor(length: number) {
    this.places = new Uint32Array(length)
    this.values = new Float64Array(length)
    this.at = new Float64Array(length)
    this.first = new Float64Array(length)
    this.firstAt = new Float64Array(length)
    this.min = new Float64Array(length)
    this.max = new Float64Array(length)
    this.count = new Float64Array(length)
  }

  /** Opens the row of a place. @returns whether it was there */
  #opens(place: number): boolean {
    if (this.rows > 0 && this.places[this.rows - 1] === place) return false
    this.places[this.rows++] = place
    return true
  }

  /** Takes a value of which nothing else is known. */
  value(place: number, value: number, atMs: number): void {
    const isNew = this.#opens(place)
    const row = this.rows - 1
    if (isNew) {
      this.first[row] = this.min[row] = this.max[row] = value
      this.firstAt[row] = atMs
    } else {
      this.min[row] = Math.min(this.min[row]!, value)
      this.max[row] = Math.max(this.max[row]!, value)
      this.count[row] = Math.max(1, this.count[row]!) + 1
    }
    this.values[row] = value
    this.at[row] = atMs
  }

  /** Takes a value with what else is known: the spread at a place of their columns. */
  spread(place: number, { first, min, max, count }: GaugeSpreads, i: number, firstMs: number) {
    const isNew = this.#opens(place)
    const row = this.rows - 1
    if (isNew) {
      this.first[row] = first[i]!
      this.firstAt[row] = firstMs
      this.min[row] = min[i]!
      this.max[row] = max[i]!
      this.count[row] = count[i]!
    } else {
      this.min[row] = Math.min(this.min[row]!, min[i]!)
      this.max[row] = Math.max(this.max[row]!, max[i]!)
      this.count[row] = Math.max(1, this.count[row]!) + count[i]!
    }
  }

  block(widthMs: number): GaugeBlock {
    const { rows } = this
    const places = this.places.slice(0, rows)
    const at = this.at.slice(0, rows)
    const isAtEnd = places.every((place, row) => at[row] === (place + 1) * widthMs)
    const known = Uint32Array.from(places.keys()).filter((row) => this.count[row]! > 0)
    const pick = (column: Float64Array) => Float64Array.from(known, (row) => column[row]!)
    const spreads = {
      rows: known,
      first: pick(this.first),
      firstAt: pick(this.firstAt),
      min: pick(this.min),
      max: pick(this.max),
      count: pick(this.count),
    }
    return {
      ...{ kind: 'gauge', places, values: this.values.slice(0, rows), wide: NONE },
      ...(isAtEnd ? {} : { at }),
      ...(known.length === 0 ? {} : { spreads }),
    }
  }
}

/**
 * Takes the last values of places, and of all that is known the first, the least and the largest;
 * undefined where times do not rise, or values are not known or no doubles.
 */
function rolledGauge(
  block: GaugeBlock,
  from: WindowFrame,
  to: WindowFrame,
): GaugeBlock | undefined {
  const { places, values, wide, at, spreads } = block
  if (wide.size > 0) return undefined
  const roll = new GaugeRoll(values.length)
  const shiftMs = from.startMs - to.startMs
  let lastMs = Number.NEGATIVE_INFINITY
  for (let row = 0, next = 0; row < values.length; row++) {
    const value = values[row]!
    if (Number.isNaN(value)) return undefined
    const beginMs = shiftMs + places[row]! * from.widthMs
    const place = Math.floor(beginMs / to.widthMs)
    const atMs = at === undefined ? beginMs + from.widthMs : shiftMs + at[row]!
    if (spreads === undefined || spreads.rows[next] !== row) {
      if (atMs <= lastMs) return undefined
      roll.value(place, value, atMs)
    } else {
      const firstMs = shiftMs + spreads.firstAt[next]!
      if (firstMs <= lastMs || firstMs > atMs) return undefined
      roll.spread(place, spreads, next++, firstMs)
      roll.values[roll.rows - 1] = value
      roll.at[roll.rows - 1] = atMs
    }
    lastMs = atMs
  }
  return roll.block(to.widthMs)
}
