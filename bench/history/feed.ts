/** Seconds of made series as a hub hands them to its history. */
import type { ClosedSecond, SeriesDefinition } from '../../src/history/store.ts'
import { type Identity, identityKey, type Kind, type Summary } from '../../src/model/index.ts'
import { HistogramPacker } from '../../src/model/packed/packed-histogram.ts'
import type { MadeSeries } from './mixes.ts'

const NONE: ReadonlyMap<number, never> = new Map<number, never>()
const NOTHING = new Uint32Array(0)

/** Counts the cells of a series; seconds of a counter that did nothing are samples, too. */
export function samplesOf(series: MadeSeries): number {
  if ('values' in series) return series.values.length
  return series.cells.filter((cell) => cell !== undefined).length
}

/** Identity as a service's clients name their series. */
export function identityAt(index: number, kind: Kind): Identity {
  return {
    name: `app.${kind}.m${String(index).padStart(6, '0')}`,
    kind,
    labels: [
      ['host', `node-${index % 97}`],
      ['service', 'checkout'],
    ],
  }
}

/** Tells a store of series, under their numbers from 1 on. */
export function definitionsOf(kinds: readonly Kind[]): SeriesDefinition[] {
  return kinds.map((kind, i) => {
    const key = identityKey(identityAt(i, kind))
    const metadata = { dialect: 'statshero' }
    const beganMs = 1_700_000_000_000 + i * 37
    const origin = { source: `10.1.2.3:${40_000 + (i % 97)}`, beganMs, isKept: false }
    return { ref: i + 1, key, metadata, origin: JSON.stringify(origin) }
  })
}

/** A second without cells. */
export function emptySecond(endS: number): ClosedSecond {
  const values = new Float64Array(0)
  return {
    ...{ endS, seconds: 1, defined: [], ended: [] },
    counters: { refs: NOTHING, deltas: values, wide: NONE },
    gauges: { refs: NOTHING, values, wide: NONE, spreads: NONE },
    histograms: {
      ...{ refs: NOTHING, places: NOTHING },
      packed: { chunks: [], places: [], bounds: [] },
    },
    summaries: { refs: NOTHING, cells: [] },
  }
}

/** Lists seconds of series, whose numbers are their places, one after another from `startS` on. */
export function* secondsOf(all: readonly MadeSeries[], startS: number): Generator<ClosedSecond> {
  const counters = refsOf(all, 'counter')
  const gauges = refsOf(all, 'gauge')
  const first = all[0]!
  const length = 'values' in first ? first.values.length : first.cells.length
  for (let second = 0; second < length; second++) {
    const valueAt = (ref: number): number => {
      const series = all[ref - 1]!
      return 'values' in series ? series.values[second]! : 0
    }
    yield {
      ...emptySecond(startS + second + 1),
      defined: second === 0 ? definitionsOf(all.map(({ kind }) => kind)) : [],
      counters: { refs: counters, deltas: Float64Array.from(counters, valueAt), wide: NONE },
      gauges: {
        refs: gauges,
        values: Float64Array.from(gauges, valueAt),
        ...{ wide: NONE, spreads: NONE },
      },
      ...distributionsAt(all, second),
    }
  }
}

function refsOf(all: readonly MadeSeries[], kind: Kind): Uint32Array {
  return Uint32Array.from(all.flatMap((series, i) => (series.kind === kind ? i + 1 : [])))
}

function distributionsAt(all: readonly MadeSeries[], second: number) {
  const packer = new HistogramPacker()
  const [refs, places, summaryRefs]: [number[], number[], number[]] = [[], [], []]
  const cells: Summary[] = []
  for (const [i, series] of all.entries()) {
    if (series.kind === 'histogram') {
      const cell = series.cells[second]
      if (cell === undefined) continue
      refs.push(i + 1)
      places.push(packer.add(cell))
    } else if (series.kind === 'summary') {
      const cell = series.cells[second]
      if (cell === undefined) continue
      summaryRefs.push(i + 1)
      cells.push(cell)
    }
  }
  const { parts } = packer.packed()
  return {
    histograms: { refs: Uint32Array.from(refs), places: Uint32Array.from(places), packed: parts },
    summaries: { refs: Uint32Array.from(summaryRefs), cells },
  }
}
