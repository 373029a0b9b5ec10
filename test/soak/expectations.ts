/** Every number of a soak that has an independent one, as rows: totals, and all that is told. */
import type { FilterStatus, FiltersAnswer } from '../../src/dialects/proxywasm/http/api.ts'
import { type ParsedSample, parseExposition } from '../support/outputs/exposition-parser.ts'
import type { Surroundings } from './clients/client.ts'
import { SAMPLED_WEIGHT, SENDERS } from './clients/senders.ts'
import type { Watcher } from './clients/watchers.ts'
import { exactly, exceptFor, type Row, some, within } from './comparison.ts'
import type { Receiver } from './receivers.ts'
import type { Target } from './target.ts'

/** Observations by which names were made known before watchers came. */
export const PRIMED = 1

/** Samples of one answer of /metrics. */
export class Metrics {
  readonly #samples: readonly ParsedSample[]

  constructor(text: string) {
    this.#samples = parseExposition(text, 'text').flatMap(({ samples }) => samples)
  }

  /** Adds up all samples of a name that have these labels; 0 of none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const isOne = (sample: ParsedSample): boolean =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels.get(key) === value)
    return this.#samples.filter(isOne).reduce((sum, { text }) => sum + Number(text), 0)
  }
}

/** Reads /metrics, and the filters before and after, which go on meanwhile. */
export async function totals({ target, ledger }: Surroundings): Promise<Row[]> {
  const before = await filtersOf(target)
  const metrics = new Metrics(await target.read('/metrics'))
  const after = await filtersOf(target)
  const sent = (name: string): number => ledger.of(name)
  const drops = metrics.sum('pentameter_udp_kernel_drops_total', { listener: 'text' })
  const lost = metrics.sum('pentameter_ingest_worker_lost_total', { part: 'commands' })
  const errors = 'pentameter_decode_errors_total'
  return [
    exactly('meter by TCP', sent('soak.meter'), metrics.sum('soak_meter_total')),
    exactly(
      'histogram by TCP: count',
      sent('soak.spread count'),
      metrics.sum('soak_spread_hist_count'),
    ),
    exactly('histogram by TCP: sum', sent('soak.spread sum'), metrics.sum('soak_spread_hist_sum')),
    exactly(
      'sampled histogram: count',
      sent('soak.half count'),
      metrics.sum('soak_half_hist_count'),
    ),
    exactly('sampled histogram: sum', sent('soak.half sum'), metrics.sum('soak_half_hist_sum')),
    exactly('meter reader', sent('soak.reading'), metrics.sum('soak_reading_total')),
    exactly('sampled meter', sent('soak.sampled'), metrics.sum('soak_sampled_total')),
    ...SENDERS.map((i) =>
      exactly(`gauge ${i}`, sent(`soak.level.${i}`), metrics.sum(`soak_level_${i}`)),
    ),
    exceptFor(
      'meter by UDP, but what the kernel dropped',
      sent('soak.datagram'),
      metrics.sum('soak_datagram_total'),
      drops,
    ),
    exceptFor(
      'meter while threads end, but what was unread',
      sent('soak.reckless'),
      metrics.sum('soak_reckless_total'),
      sent('reckless unread'),
    ),
    exceptFor(
      'commands while threads end, but what is said lost',
      sent('soak.command'),
      metrics.sum('soak_command_total') / (2 * SAMPLED_WEIGHT),
      sent('reckless unread') + lost,
    ),
    exactly('lines of packets that never ended', 0, metrics.sum('soak_unfinished_total')),
    exactly('bad values', sent('lie'), metrics.sum(errors, { code: 'bad_value' })),
    exactly(
      'Wallaroo: messages',
      sent('wallaroo steady'),
      metrics.sum('wallaroo_computation_messages_total', { application: 'steady' }),
    ),
    exactly(
      'Wallaroo: latencies',
      sent('wallaroo steady'),
      metrics.sum('wallaroo_computation_latency_seconds_count', { application: 'steady' }),
    ),
    exactly('EventCounters attached: sum', sent('soak.sold'), metrics.sum('soak_sold_total')),
    exactly(
      'EventCounters attached: count',
      sent('soak.latency count'),
      metrics.sum('soak_latency_samples_count'),
    ),
    exactly('scope attached: value', sent('soak.boiler'), metrics.sum('soak_boiler')),
    exactly(
      'ends of threads',
      sent('thread ends'),
      metrics.sum('pentameter_ingest_worker_restarts_total'),
    ),
    exactly('steps of the clock', sent('clock steps'), metrics.sum('pentameter_clock_steps_total')),
    ...filterRows(sent('filter ends'), metrics, before, after),
  ].concat(overflowRows(metrics))

  function overflowRows(metrics: Metrics): Row[] {
    ledger.set('overflow', metrics.sum('pentameter_overflow_total', { dialect: 'statshero' }))
    return [some('lines of names beyond a limit', ledger.of('overflow'))]
  }
}

async function filtersOf(target: Target): Promise<ReadonlyMap<string, FilterStatus>> {
  const { filters = [] } = await target.json<FiltersAnswer>('/api/v1/sources')
  return new Map(filters.map((filter) => [filter.name, filter]))
}

/** A filter counts its requests itself; one that was being answered at an end may have or not. */
function filterRows(
  ends: number,
  metrics: Metrics,
  before: ReadonlyMap<string, FilterStatus>,
  after: ReadonlyMap<string, FilterStatus>,
): Row[] {
  return [...before.values()].flatMap(({ name, requests, problems }) => {
    const { requests: later, problems: last } = after.get(name)!
    const counter = name === 'raw' ? 'a_counter_total' : 'n_total'
    const unseen = (last.start_refused ?? 0) + ends + 1
    const seen = metrics.sum(counter, { filter: name })
    const row = within(`requests of filter ${name}`, requests - unseen, later, seen)
    if (name === 'raw') return [row]
    const problem = name === 'traps' ? 'trap' : 'call_timeout'
    return [row, some(`filter ${name}: ${problem}`, problems[problem] ?? 0)]
  })
}

/** What was told, second by second, adds up to what was sent. */
export function told(
  { ledger }: Surroundings,
  watchers: Readonly<Record<string, Watcher>>,
  receivers: Readonly<Record<'lines' | 'windows' | 'otlp', Receiver>>,
): Row[] {
  const [meter, spread] = [ledger.of('soak.meter'), ledger.of('soak.spread count')]
  const { lines, windows, otlp } = receivers
  const rows = Object.entries(watchers).flatMap(([name, { sums }]) => [
    exactly(`${name}: meter`, meter, sums.of('soak.meter')),
    exactly(`${name}: histogram`, spread - PRIMED, sums.of('soak.spread')),
    exactly(`${name}: ended`, 0, sums.of('ended')),
  ])
  return [
    ...rows,
    exactly('relay of lines: meter', meter, lines.sums.of('soak.meter')),
    exactly('relay of lines: histogram', spread, lines.sums.of('soak.spread')),
    exactly(
      'relay of lines: meter reader',
      ledger.of('soak.reading'),
      lines.sums.of('soak.reading'),
    ),
    exactly('relay of lines: all visitors', ledger.of('visit'), lines.sums.of('visit')),
    exactly('relay of lines: all that were viewed', ledger.of('view'), lines.sums.of('view')),
    exactly(
      'relay of lines: flood, but what a limit refused',
      ledger.of('flood'),
      lines.sums.of('flood') + ledger.of('overflow'),
    ),
    exactly('relay of windows: steady', ledger.of('wallaroo steady'), windows.sums.of('steady')),
    exactly('relay of windows: visitors', ledger.of('wallaroo visit'), windows.sums.of('visit')),
    exactly('OTLP: meter', meter, otlp.sums.of('soak.meter')),
    some('visitors', ledger.of('visits')),
    exactly('visitors miscounted', 0, ledger.of('visits miscounted')),
    some('viewers of one name', ledger.of('views')),
    exactly('viewers of one name, told otherwise', 0, ledger.of('views miscounted')),
  ]
}

/** What a scraper, a scope viewer and a page of long windows saw. */
export function seen(
  { ledger }: Surroundings,
  { scraper, viewer, slowPage }: Readonly<Record<'scraper' | 'viewer' | 'slowPage', Watcher>>,
): Row[] {
  const spread = 'soak.spread count'
  return [
    exceptFor(
      'page at 3 s: meter, but around steps back',
      ledger.of('soak.meter'),
      slowPage.sums.of('soak.meter'),
      ledger.of('soak.meter around steps back'),
    ),
    exceptFor(
      'page at 3 s: histogram, but around steps back',
      ledger.of(spread) - PRIMED,
      slowPage.sums.of('soak.spread'),
      ledger.of(`${spread} around steps back`),
    ),
    some('scrapes', scraper.sums.of('scrapes')),
    exactly('scrapes that were no exposition', 0, scraper.sums.of('malformed')),
    exactly('totals that went back', 0, scraper.sums.of('fallen')),
    some('snapshots of the scope viewer', viewer.sums.of('samples')),
    exactly('scope viewer: ended', 0, viewer.sums.of('ended')),
    ...SENDERS.map((i) => {
      const name = `soak.level.${i}`
      return exactly(`scope viewer: gauge ${i}`, ledger.of(name), viewer.sums.of(name))
    }),
  ]
}
