/** P14: what a series costs as they become many: the curve should be a straight line. */
import { type Growth, grow } from './growth/grow.ts'
import { type GrowingKind, KINDS } from './growth/stream.ts'
import { atMost, type Figure, type Ratio, ratioOf, type Wanted } from './measure/question.ts'
import { ask } from './measure/run.ts'

const SIZES = [1000, 10_000, 100_000, 300_000, 1_000_000] as const
/** More histograms than that have no room in the largest zone. */
const LARGEST = { counter: 1_000_000, gauge: 1_000_000, histogram: 300_000 } as const
/** Fewer are lost in what a hub takes for itself. */
const SIZE_COMPARED = 10_000
/** Growth of a cost per series that still counts as a straight line. */
const STRAIGHT = 1.3

/** Wanted of single points. */
const WANTED: readonly [GrowingKind, number, keyof Row, number][] = [
  ['counter', 100_000, 'define', 10],
  ['counter', 1_000_000, 'bytes', 400],
  ['counter', 1_000_000, 'busy', 0.5],
  ['histogram', 100_000, 'busy', 0.25],
  ['histogram', 100_000, 'turn', 20],
  ['counter', 100_000, 'scrape', 300],
  ['counter', 300_000, 'scrape', 1000],
  ['counter', 1_000_000, 'scrape', 3000],
  ['counter', 1_000_000, 'first byte', 50],
  ['counter', 1_000_000, 'scrape memory', 1.1],
]

interface Row {
  readonly define: number
  readonly bytes: number
  readonly idle: number
  readonly busy: number
  readonly turn: number
  readonly 'first byte': number
  readonly scrape: number
  readonly 'scrape memory': number
}

const UNITS: Readonly<Record<keyof Row, string>> = {
  define: 'µs of processor time for a new series',
  bytes: 'bytes per series, zone and ring included',
  idle: 'of a core while nothing comes',
  busy: 'of a core with a line per series and second',
  turn: 'ms, the longest turn of the event loop meanwhile',
  'first byte': 'ms to the first byte of /metrics',
  scrape: 'ms for all of /metrics',
  'scrape memory': 'resident memory after by before',
}

function rowOf(growth: Growth): Row {
  return {
    define: growth.defineUs,
    bytes: growth.bytesPerSeries,
    idle: growth.idleShare,
    busy: growth.busyShare,
    turn: growth.longestTurnMs,
    'first byte': growth.scrape.firstByteMs,
    scrape: growth.scrape.wholeMs,
    'scrape memory': growth.scrapeGrowth,
  }
}

await ask({
  name: 'P14',
  asks: 'What do many series cost a hub, and does each cost the same however many there are?',
  data: `${SIZES.join(', ')} series of each kind, one line for each in a second, over TCP`,
  method: [
    'a hub of its own for every point: one ingest thread, HTTP, room for a million series;',
    'all series defined, six idle seconds, six seconds with a line for each, one scrape',
  ],
  unit: '',

  async measure() {
    const figures: Figure[] = []
    const ratios: Ratio[] = []
    for (const kind of Object.keys(KINDS) as GrowingKind[]) {
      const rows = new Map<number, Row>()
      for (const size of SIZES.filter((each) => each <= LARGEST[kind])) {
        const growth = await grow(kind, size)
        const row = rowOf(growth)
        rows.set(size, row)
        for (const field of Object.keys(UNITS) as (keyof Row)[]) {
          const title = titleOf(kind, size, field)
          const figure = { title, ...only(row[field]), unit: UNITS[field] }
          figures.push(figure)
          const limit = wantedOf(kind, size, field)
          if (limit !== undefined) ratios.push(compare(title, row[field], limit))
        }
        ratios.push(compare(`${kind}, ${count(size)}: seconds behind`, 1 + growth.behindS, 1.5))
      }
      const largest = LARGEST[kind]
      const [few, many] = [rows.get(SIZE_COMPARED)!, rows.get(largest)!]
      const growths = {
        bytes: many.bytes / few.bytes,
        busy: (many.busy / few.busy) * (SIZE_COMPARED / largest),
        scrape: (many.scrape / few.scrape) * (SIZE_COMPARED / largest),
      }
      for (const [field, growth] of Object.entries(growths)) {
        const title = `${kind}: ${field} per series, ${count(largest)} by ${count(SIZE_COMPARED)}`
        ratios.push(compare(title, growth, STRAIGHT))
      }
    }
    return { warmUps: 0, rounds: 1, figures, ratios, skipped: [] }
  },
})

function titleOf(kind: GrowingKind, size: number, field: keyof Row): string {
  return `${kind}, ${count(size)}: ${field}`
}

function count(size: number): string {
  return size.toLocaleString('en-US')
}

function only(figure: number): { median: number; low: number; high: number } {
  return { median: figure, low: figure, high: figure }
}

function wantedOf(kind: GrowingKind, size: number, field: keyof Row): number | undefined {
  return WANTED.find((each) => each[0] === kind && each[1] === size && each[2] === field)?.[3]
}

/** A figure as share of what it may be. */
function compare(title: string, figure: number, limit: number): Ratio {
  const wanted: Wanted = atMost(1)
  const [over, under] = [
    { title, figures: [figure] },
    { title: `${limit}`, figures: [limit] },
  ]
  return ratioOf(over, under, wanted)
}
