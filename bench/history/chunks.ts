/** Blocks of the mixes: an hour of seconds, and its minutes, as bundles of 128 series. */
import { type Block, type ChunkCodec, encodeBundle } from '../../src/history/codec/index.ts'
import { Histogram, mergeSummaries, type Summary } from '../../src/model/index.ts'
import type { MadeSeries } from './mixes.ts'

const SERIES_A_BUNDLE = 128
const MINUTE = 60
const NONE: ReadonlyMap<number, bigint> = new Map()

/** Counts the cells of a series; seconds of a counter that did nothing are samples, too. */
export function samplesOf(series: MadeSeries): number {
  if ('values' in series) return series.values.length
  return series.cells.filter((cell) => cell !== undefined).length
}

/** Makes the block of a series' seconds; undefined where it has no cell. */
export function secondsOf(series: MadeSeries): Block | undefined {
  if ('values' in series) return flatBlock(series.kind, series.values)
  return series.kind === 'histogram'
    ? { kind: 'histogram', ...presentOf(series.cells) }
    : { kind: 'summary', ...presentOf(series.cells) }
}

/** Makes the block of its minutes, by merging cells. */
export function minutesOf(series: MadeSeries): Block | undefined {
  if ('values' in series) {
    const minutes = new Float64Array(Math.ceil(series.values.length / MINUTE))
    const isSum = series.kind === 'counter'
    for (const [second, value] of series.values.entries()) {
      const minute = Math.floor(second / MINUTE)
      minutes[minute] = isSum ? minutes[minute]! + value : value
    }
    return flatBlock(series.kind, minutes)
  }
  if (series.kind === 'histogram') {
    const cells = perMinute(series.cells, (sum: Histogram | undefined, cell) => {
      const merged = sum ?? new Histogram()
      merged.mergeFrom(cell)
      return merged
    })
    return { kind: 'histogram', ...presentOf(cells) }
  }
  const cells = perMinute(series.cells, (sum: Summary | undefined, cell) => {
    return sum === undefined ? cell : mergeSummaries(sum, cell)
  })
  return { kind: 'summary', ...presentOf(cells) }
}

function perMinute<C>(
  cells: readonly (C | undefined)[],
  merge: (sum: C | undefined, cell: C) => C,
): (C | undefined)[] {
  const minutes = new Array<C | undefined>(Math.ceil(cells.length / MINUTE)).fill(undefined)
  for (const [second, cell] of cells.entries()) {
    const minute = Math.floor(second / MINUTE)
    if (cell !== undefined) minutes[minute] = merge(minutes[minute], cell)
  }
  return minutes
}

function presentOf<C>(cells: readonly (C | undefined)[]) {
  const places = Uint32Array.from(cells.keys()).filter((place) => cells[place] !== undefined)
  return { places, cells: cells.filter((cell) => cell !== undefined) }
}

function flatBlock(kind: 'counter' | 'gauge', all: Float64Array): Block | undefined {
  const places = Uint32Array.from(all.keys()).filter(
    (place) => kind === 'gauge' || all[place] !== 0,
  )
  const values = Float64Array.from(places, (place) => all[place]!)
  return places.length === 0 ? undefined : { kind, places, values, wide: NONE }
}

/** Counts the bytes of all bundles of blocks, which stand in the order of their series. */
export function bundledBytes(
  codec: ChunkCodec,
  resolution: 1 | 60,
  blocks: readonly (Block | undefined)[],
  digits: number,
): number {
  let bytes = 0
  for (let first = 0; first < blocks.length; first += SERIES_A_BUNDLE) {
    const chunks = blocks.slice(first, first + SERIES_A_BUNDLE).flatMap((block, i) => {
      if (block === undefined || block.places.length === 0) return []
      return [{ slot: first + i, bytes: codec.encode(block, { digits }) }]
    })
    bytes += encodeBundle(resolution, chunks).length
  }
  return bytes
}
