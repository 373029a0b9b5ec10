/** P14: what a series costs as they become many: the curve should be a straight line. */
import { type Growth, grow, growRegistry } from './growth/grow.ts'
import { type GrowingKind, KINDS } from './growth/stream.ts'
import { PROMETHEUS_CLIENT } from './instruments/prometheus-client.ts'
import {
  atLeast,
  atMost,
  figureOf,
  limitOf,
  type Rounds,
  type Verdict,
  voided,
  type Wanted,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { run } from './workers/hub.ts'

const SIZES = [1000, 10_000, 100_000, 300_000, 1_000_000] as const
/** The slope of every later part of the curve is compared with that between these. */
const SLOPE_FROM = 10_000
const SLOPE_TO = 100_000
/** How much steeper a part may be that still counts as the same straight line. */
const STRAIGHT = 1.3
/** What a hub must be able to be configured for. */
const SERIES_LIMIT_WANTED = 10_000_000

/** What is measured of every point. */
interface Row {
  readonly define: number
  readonly bytes: number
  readonly resident: number
  readonly idle: readonly number[]
  readonly busy: readonly number[]
  /** Busy less idle: what the series themselves take. */
  readonly added: readonly number[]
  readonly turn: number
  readonly delay: number
  readonly 'missed ticks': number
  readonly behind: number
  readonly 'first byte': number
  readonly scrape: number
  readonly 'scrape after a change': number
  readonly 'scrape memory': number
}
type Field = keyof Row

const UNITS: Readonly<Record<Field, string>> = {
  define: 'µs of processor time for a new series',
  bytes: 'resident bytes per series, the live ring apart',
  resident: 'MiB of the whole process after these seconds',
  idle: 'of a core while nothing comes',
  busy: 'of a core with a line per series and second',
  added: 'of a core that these lines add to an idle second',
  turn: 'ms, the longest turn of the event loop meanwhile',
  delay: 'ms, 99 % of delays of the event loop meanwhile',
  'missed ticks': 'seconds closed late meanwhile',
  behind: 's until all was taken that had been sent',
  'first byte': 'ms to the first byte of /metrics, the later of both',
  scrape: 'ms for all of /metrics',
  'scrape after a change': 'ms for all of /metrics',
  'scrape memory': 'resident memory after by before, the live ring apart',
}

/** Wanted of single points; `undefined` for every kind, or size. */
const WANTED: readonly [GrowingKind | undefined, number | undefined, Field, number][] = [
  [undefined, 100_000, 'define', 10],
  ['counter', 1_000_000, 'define', 10],
  ['counter', 1_000_000, 'bytes', 400],
  ['counter', 1_000_000, 'busy', 0.5],
  ['counter', 1_000_000, 'turn', 20],
  ['gauge', 1_000_000, 'turn', 20],
  ['histogram', 100_000, 'busy', 0.25],
  ['histogram', 10_000, 'turn', 20],
  ['histogram', 100_000, 'turn', 20],
  ['counter', 100_000, 'scrape', 300],
  ['counter', 300_000, 'scrape', 1000],
  ['counter', 1_000_000, 'scrape', 3000],
  ['counter', 100_000, 'scrape after a change', 300],
  ['counter', 300_000, 'scrape after a change', 1000],
  ['counter', 1_000_000, 'scrape after a change', 3000],
  [undefined, undefined, 'first byte', 50],
  [undefined, undefined, 'scrape memory', 1.1],
  [undefined, undefined, 'missed ticks', 0],
  [undefined, undefined, 'behind', 0.5],
]

/** Costs of all series of a point together, whose curve is judged. */
const CURVES: readonly Field[] = ['bytes', 'added', 'scrape after a change', 'define']
const PER_SERIES: readonly Field[] = ['bytes', 'define']
/** Wanted of each further series, from every size to the next: what all have in common apart. */
const FURTHER: readonly [GrowingKind, Field, number][] = [
  ['counter', 'define', 10],
  ['gauge', 'define', 10],
  ['histogram', 'define', 10],
  ['counter', 'bytes', 400],
]

function rowOf(growth: Growth): Row {
  const [first, changed] = growth.scrapes
  return {
    define: growth.defineUs,
    bytes: growth.bytesPerSeries,
    resident: growth.residentBytes / 2 ** 20,
    idle: growth.looks.map(({ idleShare }) => idleShare),
    busy: growth.looks.map(({ busyShare }) => busyShare),
    added: growth.looks.map(({ idleShare, busyShare }) => busyShare - idleShare),
    turn: growth.longestTurnMs,
    delay: growth.delayMsP99,
    'missed ticks': growth.ticksMissed,
    behind: growth.behindS,
    'first byte': Math.max(first.firstByteMs, changed.firstByteMs),
    scrape: first.wholeMs,
    'scrape after a change': changed.wholeMs,
    'scrape memory': growth.scrapeGrowth,
  }
}

await ask({
  name: 'P14',
  asks: 'What do many series cost a hub, and does each cost the same however many there are?',
  data: `${SIZES.join(', ')} series of each kind, one line for each in a second, over TCP`,
  method: [
    'a hub of its own for every point: one ingest thread, HTTP, room for a million series; all',
    'series defined; three times in turn three idle seconds and three with a line for each, whose',
    'value changes; a scrape, a line for each, a scrape',
    'slopes: of a cost of all series, over their number, against the slope from',
    `${count(SLOPE_FROM)} to ${count(SLOPE_TO)}: a straight line has 1. A further series: what all`,
    'cost more, by how many more they are, from each size to the next',
  ],
  unit: '',
  remarks: [
    'processor times and memory are of the whole hub, threads and helper threads included',
    'beside it: a registry with as many label sets of one counter',
  ],

  async measure() {
    const points: [Rounds, Wanted | undefined][] = []
    const curves: Verdict[] = []
    const means: string[] = []
    for (const kind of Object.keys(KINDS) as GrowingKind[]) {
      const rows = new Map<number, Row>()
      for (const size of SIZES) {
        const growth = await grow(kind, size)
        const title = `${kind}, ${count(size)}: series that have room`
        const taken = typeof growth === 'number' ? growth : size
        points.push([{ title, figures: [taken], unit: '' }, atLeast(size)])
        if (typeof growth === 'number') continue
        const row = rowOf(growth)
        rows.set(size, row)
        for (const field of Object.keys(UNITS) as Field[]) {
          const title = `${kind}, ${count(size)}: ${field}`
          const rounds = { title, figures: [row[field]].flat(), unit: UNITS[field] }
          points.push([rounds, wantedOf(kind, size, field)])
        }
      }
      for (const field of CURVES) curves.push(...slopes(kind, field, rows))
      points.push(...further(kind, rows))
      const [size, row] = [...rows].at(-1)!
      const share = figureText(spreadOf(row.busy).median * 100)
      const mebibytes = figureText(row.resident)
      means.push(
        `A hub whose ${count(size)} ${kind}s all change each second takes ${share} % of a core ` +
          `and ${mebibytes} MiB in all, without a history; ` +
          `/metrics takes ${figureText(row.scrape)} ms`,
      )
    }
    points.push([await startLargest(), atLeast(SERIES_LIMIT_WANTED)])
    for (const size of [SLOPE_TO, SIZES.at(-1)!]) {
      const { bytes, scrape } = await growRegistry(size)
      const title = `${PROMETHEUS_CLIENT}, ${count(size)} counters`
      points.push(
        [
          { title: `${title}: bytes`, figures: [bytes], unit: 'resident bytes per series' },
          undefined,
        ],
        [{ title: `${title}: scrape`, figures: [scrape.wholeMs], unit: UNITS.scrape }, undefined],
      )
    }
    return {
      warmUps: 0,
      rounds: 1,
      figures: points.filter(([, wanted]) => wanted === undefined).map(([each]) => figureOf(each)),
      verdicts: [
        ...points.flatMap(([rounds, wanted]) => {
          return wanted === undefined ? [] : [limitOf(rounds, wanted)]
        }),
        ...curves,
      ],
      skipped: [],
      means,
    }
  },
})

function count(size: number): string {
  return size.toLocaleString('en-US')
}

function wantedOf(kind: GrowingKind, size: number, field: Field): Wanted | undefined {
  const found = WANTED.find(([ofKind, ofSize, ofField]) => {
    return ofField === field && (ofKind ?? kind) === kind && (ofSize ?? size) === size
  })
  return found === undefined ? undefined : atMost(found[3])
}

/** How steep the later parts of a curve are, by the part that they are compared with. */
function slopes(kind: GrowingKind, field: Field, rows: Map<number, Row>): Verdict[] {
  const slope = (from: number, to: number): number => slopeOf(field, rows, from, to)
  const sizes = [...rows.keys()].filter((size) => size >= SLOPE_TO)
  return sizes.slice(1).map((to, i) => {
    const from = sizes[i]!
    const title = `${kind}: slope of ${field}, ${count(from)} to ${count(to)}`
    const first = slope(SLOPE_FROM, SLOPE_TO)
    const verdict = limitOf(
      { title, figures: [slope(from, to) / first], unit: '' },
      atMost(STRAIGHT),
    )
    // less than what one look differs from the next, so nothing to compare with
    return first > 0 ? verdict : voided(verdict, `no slope from ${count(SLOPE_FROM)} on`)
  })
}

/** What each series more costs, at every size. */
function further(kind: GrowingKind, rows: Map<number, Row>): [Rounds, Wanted][] {
  const sizes = [...rows.keys()]
  return FURTHER.filter(([ofKind]) => ofKind === kind).flatMap(([, field, wanted]) => {
    return sizes.slice(1).map((to, i): [Rounds, Wanted] => {
      const from = sizes[i]!
      const title = `${kind}, ${count(from)} to ${count(to)}: ${field} of a further one`
      const rounds = { title, figures: [slopeOf(field, rows, from, to)], unit: UNITS[field] }
      return [rounds, atMost(wanted)]
    })
  })
}

/** By how much a cost of all grows with each series. */
function slopeOf(field: Field, rows: Map<number, Row>, from: number, to: number): number {
  const total = (size: number): number => {
    const { median } = spreadOf([rows.get(size)![field]].flat())
    return median * (PER_SERIES.includes(field) ? size : 1)
  }
  return (total(to) - total(from)) / (to - from)
}

/** The limit that is wanted, where a hub starts with it; otherwise none. */
async function startLargest(): Promise<Rounds> {
  const title = 'series limit that a hub starts with'
  const limits = { seriesLimit: SERIES_LIMIT_WANTED, seriesLimitPerSource: SERIES_LIMIT_WANTED }
  try {
    const [hub] = await run('hub-process.ts', { ...limits, zoneBytesLimit: 1_073_741_824 })
    await hub.stop()
    return { title, figures: [SERIES_LIMIT_WANTED], unit: '' }
  } catch {
    return { title, figures: [0], unit: '' }
  }
}
