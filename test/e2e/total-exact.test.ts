/**
 * The total that a viewer shows at a second is what had come when that second was closed: whenever
 * it has read the list, whatever has come in the seconds that were open then.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Ingest } from '../../src/dialects/ingest.ts'
import type { CellsEvent, RangeAnswer, SeriesInfo, SeriesPage } from '../../src/http/api.ts'
import { LivePayloads } from '../../src/http/live/payloads.ts'
import { rangeJson } from '../../src/http/query/range/range.ts'
import { seriesJson } from '../../src/http/query/series.ts'
import type { Frame } from '../../src/hub/live/frame.ts'
import { addExact, type Exact, exact, type Kind } from '../../src/model/index.ts'
import { totalText } from '../../src/viewer/format/number.ts'
import { readSeries } from '../../src/viewer/series/reading.ts'
import { SeriesData, secondOf } from '../../src/viewer/store/series-data.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { startHub, type TestHub } from '../support/hub/hub.ts'
import { holdsAsync } from '../support/property.ts'

/** Seconds that a viewer reads of what it has not seen before. */
const PAST_S = 300

/** What a page keeps of one hub: the list, and the seconds that its stream brings. */
class Viewer {
  readonly #hub: TestHub['hub']
  readonly #payloads: LivePayloads
  readonly #data = new Map<number, SeriesData>()
  #series = new Map<string, SeriesInfo>()
  #newest: number

  constructor({ hub, clock }: TestHub) {
    this.#hub = hub
    this.#payloads = new LivePayloads(hub)
    this.#newest = Math.floor(clock.wallMs() / 1000)
    hub.sessions.open({ intervalS: 1, onFrame: (frame) => this.#take(frame) })
  }

  readList(): void {
    const query = { filter: 'of.test', limit: 100, after: 0 }
    const page = JSON.parse([...seriesJson(this.#hub, query)].join('')) as SeriesPage
    this.#series = new Map(page.series.map((info) => [info.name, info]))
    for (const { id, kind } of page.series) {
      if (this.#data.has(id)) continue
      const data = new SeriesData(kind)
      this.#data.set(id, data)
      this.#readPast(data, id)
    }
  }

  #readPast(data: SeriesData, id: number): void {
    const window = { fromMs: (this.#newest - PAST_S) * 1000, stepMs: 1000, length: PAST_S }
    const text = [...rangeJson(this.#hub, [id], window)].join('')
    const { columns, closedMs } = JSON.parse(text) as RangeAnswer
    const first = this.#newest - PAST_S + 1
    data.writeColumn(first, columns[0]!, 0, { closed: secondOf(closedMs) })
    data.cover(this.#newest - PAST_S, this.#newest)
  }

  #take(frame: Frame): void {
    const json = [...this.#payloads.json(frame, [...this.#data.keys()])].join('')
    const { endMs, counters } = JSON.parse(json) as CellsEvent
    const second = secondOf(endMs)
    const cells = new Map(counters)
    for (const [id, data] of this.#data) {
      const cell = cells.get(id)
      if (cell !== undefined) data.write(second, cell, frame.seconds)
      else for (let at = this.#newest + 1; at <= second; at++) data.writeQuiet(at, false)
      data.cover(this.#newest, second)
    }
    this.#newest = second
  }

  /** Lists the names of what the list has. */
  get names(): Iterable<string> {
    return this.#series.keys()
  }

  info(name: string): SeriesInfo {
    return this.#series.get(name)!
  }

  /** Gives the quiet line under a counter's rate, at the newest second or one before. */
  shown(name: string, second = this.#newest): string {
    const info = this.#series.get(name)!
    return readSeries(this.#data.get(info.id), {
      ...{ info, second, hasCursor: true, isStale: false, per: '' },
      ...{ lastDataMs: info.lastDataMs, nowMs: second * 1000 },
      finding: { recent: 0, usual: 0, ratio: 1, score: 0, since: 0 },
    }).sub
  }
}

const encoder = new TextEncoder()

/** One counter or distribution for each way in which such a thing grows, by how much at a time. */
const WAYS = {
  count: ({ ingest, slot }: Sent, amount: number): Exact => {
    ingest.count(slot('counter'), amount, 1)
    return amount
  },
  /** A viewer adds seconds up as doubles: these have few digits, and their total has many. */
  large: ({ ingest, slot }: Sent, amount: number): Exact => {
    const large = exact(BigInt(amount) << 50n)
    ingest.count(slot('counter'), large, 1)
    return large
  },
  upAndDown: ({ ingest, slot }: Sent, amount: number): Exact => {
    ingest.count(slot('counter'), amount - 50, 1)
    return amount - 50
  },
  fractions: ({ ingest, slot }: Sent, amount: number): Exact => {
    ingest.merge(slot('counter'), { kind: 'counter', delta: amount / 8 })
    return amount / 8
  },
  /** Of a source that begins anew now and then; its first reading says nothing. */
  reading: ({ ingest, slot, state }: Sent, amount: number): Exact => {
    const before = state.reading
    const hasReset = before !== undefined && before > amount && amount % 2 === 0
    state.reading = hasReset ? amount : (before ?? 0) + amount
    ingest.read(slot('counter', { isCumulative: true }), state.reading)
    return before === undefined ? 0 : amount
  },
  histogram: ({ ingest, slot }: Sent, amount: number): Exact => {
    ingest.observe(slot('histogram'), amount, 1)
    return 1
  },
  summary: ({ ingest, slot }: Sent, amount: number): Exact => {
    const summary = { count: 1, mean: amount, squares: 0, min: amount, max: amount }
    ingest.merge(slot('summary'), { kind: 'summary', summary }, 1)
    return 1
  },
}
type Way = keyof typeof WAYS

/** What a way to send is given. */
interface Sent {
  readonly ingest: Ingest
  slot(kind: Kind, more?: object): number
  readonly state: { reading?: number }
}

class Sender {
  readonly #ingest: Ingest
  readonly #state = {}
  /** All that was sent, by name. */
  readonly sent = new Map<string, Exact>()

  constructor({ hub }: TestHub) {
    this.#ingest = hub.createIngest('statshero')
    this.#ingest.begin('10.0.0.1')
  }

  send(way: Way, amount: number): void {
    const name = `of.test.${way}`
    const key = encoder.encode(name)
    const ingest = this.#ingest
    const slot = (kind: Kind, more: object = {}): number =>
      ingest.slot(key, 0, key.length, 0, key.length, () => ({
        ...{ identity: { name, kind, labels: [] }, metadata: { dialect: 'statshero' } },
        ...more,
      }))
    const grown = WAYS[way]({ ingest, slot, state: this.#state }, amount)
    this.sent.set(name, addExact(this.sent.get(name) ?? 0, grown))
  }
}

type Step =
  | { readonly does: 'send'; readonly way: Way; readonly amount: number }
  | { readonly does: 'pass' | 'stall'; readonly ms: number }
  | { readonly does: 'list' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('send' as const),
      way: fc.constantFrom(...(Object.keys(WAYS) as Way[])),
      amount: fc.integer({ min: 0, max: 100 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      ms: fc.integer({ min: 50, max: 1500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('stall' as const),
      ms: fc.integer({ min: 400, max: 12_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('list' as const) }) },
)

/** Runs steps, and compares after each what is shown with what was sent up to the last second. */
async function play(steps: readonly Step[]): Promise<void> {
  const to = await startHub({}, { clock: new FakeClock(1_700_000_000_400) })
  const { hub, clock } = to
  const sender = new Sender(to)
  const viewer = new Viewer(to)
  let closed = new Map<string, Exact>()
  hub.sessions.open({
    intervalS: 1,
    onFrame: () => {
      closed = new Map(sender.sent)
    },
  })
  const check = (): void => {
    for (const name of viewer.names) {
      const { kind } = viewer.info(name)
      const expected = closed.get(name) ?? 0
      if (kind === 'counter') assert.equal(viewer.shown(name), `total ${totalText(json(expected))}`)
    }
  }
  const list = (): void => {
    viewer.readList()
    for (const name of viewer.names) {
      assert.equal(`${viewer.info(name).current}`, `${json(closed.get(name) ?? 0)}`, name)
    }
    check()
  }
  for (const each of steps) {
    if (each.does === 'send') sender.send(each.way, each.amount)
    else if (each.does === 'pass') clock.advance(each.ms)
    else if (each.does === 'stall') clock.stall(each.ms)
    else list()
    check()
  }
  list()
  await hub.stop()
}

function json(value: Exact): number | string {
  return typeof value === 'bigint' ? `${value}` : value
}

suite('totals', () => {
  test('at any instant they are what was sent up to the last closed second', async () => {
    await holdsAsync(fc.asyncProperty(fc.array(step, { maxLength: 60 }), play), 100)
  })
})
