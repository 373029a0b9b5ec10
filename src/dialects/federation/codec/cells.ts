/**
 * Messages with cells, each a list of one kind, low bytes first:
 *
 *   counters    [count:u32][ref:u32]*count[delta:f64]*count[wide]
 *   gauges      [count:u32][ref:u32]*count[value:f64]*count[wide][count:u32][spread]*count
 *   histograms  [ref:u32][size:u32][histogram, model/packed/packed-histogram.ts]…
 *   summaries   [ref:u32][count:f64][mean:f64][squares:f64][min:f64][max:f64]…
 *   wide        [count:u32]([place:u32][negative:u8][size:u64])*count: what no double holds
 *   spread      [place:u32][first:f64][min:f64][max:f64][count:f64]
 *
 * A reader gives undefined for a body that is none of these or says what cannot be: no part of it
 * is taken.
 */
import { type Exact, exact, type GaugeSpread, type Summary } from '../../../model/index.ts'
import { isPackedHistogram } from '../../../model/packed/packed-check.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

/** Cells of one kind: numbers of series, and what happened to each. */
export interface RefCells<C> {
  readonly refs: readonly number[]
  readonly cells: readonly C[]
}

export type PlainSpread = Omit<GaugeSpread, 'firstAt'>

export interface GaugeCells extends RefCells<Exact> {
  /** Spreads of gauges of which more than a value is known, by their place in the list. */
  readonly spreads: ReadonlyMap<number, PlainSpread>
}

const REF_BYTES = 4
const DOUBLE_BYTES = 8

export function readCounters(body: ByteReader): RefCells<Exact> | undefined {
  const counters = readNumbers(body)
  if (counters === undefined || !body.isDone) return undefined
  const isGrowth = counters.cells.every((delta) => delta >= 0 && delta < Number.POSITIVE_INFINITY)
  return isGrowth ? counters : undefined
}

export function readGauges(body: ByteReader): GaugeCells | undefined {
  const gauges = readNumbers(body)
  if (gauges === undefined) return undefined
  const spreads = new Map<number, PlainSpread>()
  for (let left = body.u32(); left > 0 && body.isWhole; left--) {
    const place = body.u32()
    const [first, min, max, count] = [body.f64(), body.f64(), body.f64(), body.f64()]
    if (place >= gauges.refs.length || !(min <= max) || !(count >= 1)) return undefined
    spreads.set(place, { first, min, max, count })
  }
  return body.isDone ? { ...gauges, spreads } : undefined
}

/** Reads histograms as they are packed, each checked; views of the body. */
export function readHistograms(body: ByteReader): RefCells<Uint8Array> | undefined {
  const refs: number[] = []
  const cells: Uint8Array[] = []
  while (body.left > 0 && body.isWhole) {
    refs.push(body.u32())
    const packed = body.sized()
    if (!body.isWhole || !isPackedHistogram(packed)) return undefined
    cells.push(packed)
  }
  return body.isDone ? { refs, cells } : undefined
}

export function readSummaries(body: ByteReader): RefCells<Summary> | undefined {
  const refs: number[] = []
  const cells: Summary[] = []
  while (body.left > 0 && body.isWhole) {
    refs.push(body.u32())
    const [count, mean, squares] = [body.f64(), body.f64(), body.f64()]
    const summary = { count, mean, squares, min: body.f64(), max: body.f64() }
    if (!body.isWhole || !isPlausible(summary)) return undefined
    cells.push(summary)
  }
  return body.isDone ? { refs, cells } : undefined
}

/** Tells whether statistics stay finite whatever they are merged with. */
function isPlausible({ count, mean, squares, min, max }: Summary): boolean {
  const isKnown = (value: number): boolean => Number.isFinite(value) || Number.isNaN(value)
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isFinite(mean)) return false
  return squares >= 0 && squares < Number.POSITIVE_INFINITY && isKnown(min) && isKnown(max)
}

function readNumbers(body: ByteReader): RefCells<Exact> | undefined {
  const count = body.u32()
  if (count * (REF_BYTES + DOUBLE_BYTES) > body.left) return undefined
  const refs: number[] = new Array(count)
  const cells: Exact[] = new Array(count)
  for (let i = 0; i < count; i++) refs[i] = body.u32()
  for (let i = 0; i < count; i++) cells[i] = body.f64()
  for (let left = body.u32(); left > 0 && body.isWhole; left--) {
    const place = body.u32()
    const sign = body.byte()
    const size = body.u64()
    if (place >= count || sign > 1) return undefined
    cells[place] = exact(sign === 1 ? -size : size)
  }
  return body.isWhole ? { refs, cells } : undefined
}

/** Writes the body of counters, and all but the spreads of gauges. */
export function writeNumbers(out: ByteWriter, { refs, cells }: RefCells<Exact>): void {
  out.u32(refs.length)
  for (const ref of refs) out.u32(ref)
  let wide = 0
  for (const cell of cells) {
    out.f64(Number(cell))
    if (typeof cell === 'bigint') wide++
  }
  out.u32(wide)
  for (let place = 0; wide > 0; place++) {
    const cell = cells[place]!
    if (typeof cell !== 'bigint') continue
    wide--
    out.u32(place)
    out.byte(cell < 0n ? 1 : 0)
    out.u64(cell < 0n ? -cell : cell)
  }
}

export function writeGauges(out: ByteWriter, gauges: GaugeCells): void {
  writeNumbers(out, gauges)
  out.u32(gauges.spreads.size)
  for (const [place, { first, min, max, count }] of gauges.spreads) {
    out.u32(place)
    for (const number of [first, min, max, count]) out.f64(number)
  }
}

export function writeHistogram(out: ByteWriter, ref: number, packed: Uint8Array): void {
  out.u32(ref)
  out.sized(packed)
}

export function writeSummary(out: ByteWriter, ref: number, summary: Summary): void {
  out.u32(ref)
  const { count, mean, squares, min, max } = summary
  for (const number of [count, mean, squares, min, max]) out.f64(number)
}
