/** A feed of a board against an invented hub, of which every sample is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsAsync } from '../../../test/support/property.ts'
import type { CellsEvent, RangeAnswer, SampleGroup } from '../../http/api.ts'
import { Board } from '../../model/board/board.ts'
import { RefusedRequest } from '../store/hub-api.ts'
import type { StreamTap } from '../store/store.ts'
import { HubFeed } from './hub-feed.ts'
import type { BoardSeries } from './measures.ts'

const START = 1_800_000_000_000

interface Row {
  readonly timeMs: number
  readonly values: Readonly<Record<number, number>>
}

/** Samples of one source, and a stream that tells of them when it is told to. */
type FeedStore = ConstructorParameters<typeof HubFeed>[0]['store']

class InventedHub implements FeedStore {
  readonly rows: Row[] = []
  nowMs = START
  carried: readonly number[] = []
  /** Rows that the stream has told of. */
  told = 0
  requests: string[] = []
  ranges: number[][] = []
  /** Increase of every counter in each second. */
  delta = 30
  areAway = false
  isCut = false
  /** Answers wait until {@link answer} is called. */
  isSlow = false
  valuesLimit = Number.POSITIVE_INFINITY
  readonly screen = {
    areIdsUnsure: false,
    carry: (ids: readonly number[], intervalS: number) => {
      this.#wanted = ids
      this.#wantedS = intervalS
    },
  }
  /** Time by which the viewer's idea of the hub's clock is late, ms. */
  behindMs = 0
  readonly clock = { nowMs: () => this.nowMs - this.behindMs }
  readonly api = {
    get: async (path: string) => {
      const answer = this.#samples(new URLSearchParams(path.split('?')[1]))
      if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      return answer
    },
    range: async (request: { series: readonly number[]; fromMs: number; toMs: number }) =>
      this.#range(request),
  }
  readonly #waiting: (() => void)[] = []
  #tap: StreamTap | undefined
  #wanted: readonly number[] = []
  #confirmed: readonly number[] = []
  #wantedS = 1
  #intervalS = 1

  tap(tap: StreamTap): () => void {
    this.#tap = tap
    return () => {}
  }

  carries(id: number): boolean {
    return this.#confirmed.includes(id)
  }

  isAway(): boolean {
    return this.areAway
  }

  isStale(): boolean {
    return false
  }

  /** Measures: each series has a value of its own. */
  measure(timeMs: number, values: Readonly<Record<number, number>>): void {
    this.nowMs = timeMs
    this.rows.push({ timeMs, values })
  }

  /** Lets the stream carry what is wanted, of which its viewer does not know yet. */
  post(): void {
    this.carried = this.#wanted
    // what came since the last event at the old interval is in none at the new one
    if (this.#wantedS !== this.#intervalS) this.told = this.rows.length
    this.#intervalS = this.#wantedS
  }

  /** Lets the stream carry what is wanted. */
  async carry(): Promise<void> {
    this.post()
    this.#confirmed = this.carried
    this.#tap?.carried()
    await settled()
  }

  /** Tells the stream of what came since. */
  async tell(): Promise<void> {
    if (this.isCut) return
    const groups = this.#pack(this.rows.slice(this.told), this.carried)
    this.told = this.rows.length
    if (groups.length > 0) this.#tap?.samples({ endMs: this.nowMs, groups })
    await settled()
  }

  async second(endMs: number, cells: Partial<CellsEvent> = {}): Promise<void> {
    this.nowMs = endMs + 20
    const none = { counters: [], gauges: [], histograms: [], summaries: [] }
    const event = { endMs, intervalMs: 1000, ...none, ...cells }
    this.#tap?.cells(event, (id) => this.carries(id))
    await settled()
  }

  async answer(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve()
    await settled()
  }

  cut(): void {
    this.isCut = true
  }

  /** Begins another stream, of which ids are certain only when the list has been read. */
  async reconnect(): Promise<void> {
    this.isCut = false
    // another stream begins with all that is wanted by then
    this.post()
    this.#confirmed = this.carried
    this.told = this.rows.length
    this.screen.areIdsUnsure = true
    this.#tap?.hello({} as never)
    await settled()
    this.screen.areIdsUnsure = false
    this.#tap?.carried()
    await settled()
  }

  #samples(query: URLSearchParams) {
    const ids = query.get('series')!.split(',').map(Number)
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))]
    this.requests.push(`${query.get('series')} ${from - START} ${to - START}`)
    const rows = this.rows.filter(({ timeMs }) => timeMs > from && timeMs <= to)
    if (rows.length * ids.length > this.valuesLimit) throw new RefusedRequest('/', 400, 'too many')
    return { endMs: to, groups: this.#pack(rows, ids) }
  }

  /** Packs rows with the same series into groups. */
  #pack(rows: readonly Row[], ids: readonly number[]): SampleGroup[] {
    return rows.flatMap(({ timeMs, values }) => {
      const found = ids.filter((id) => id in values)
      if (found.length === 0) return []
      const pack = (numbers: readonly number[]): string =>
        Buffer.from(Float64Array.from(numbers).buffer).toString('base64')
      return [{ ids: found, times: pack([timeMs]), values: pack(found.map((id) => values[id]!)) }]
    })
  }

  #range({ series, fromMs, toMs }: { series: readonly number[]; fromMs: number; toMs: number }) {
    this.ranges.push([...series])
    const length = Math.ceil((toMs - fromMs) / 1000)
    const closed = (i: number): boolean => fromMs + (i + 1) * 1000 <= this.nowMs
    const of = <T>(value: T) => Array.from({ length }, (_, i) => (closed(i) ? value : null))
    // below 7 are those that only sources measure
    const columns = series.map((id) => {
      const seen = id < 7 ? null : 5
      return id >= 100
        ? ({ id, kind: 'counter', delta: of(this.delta) } as const)
        : ({ id, kind: 'gauge', value: of(seen), min: of(seen), max: of(seen && 9) } as const)
    })
    const closedMs = this.nowMs
    const answer: RangeAnswer = { fromMs, stepMs: 1000, length, closedMs, gaps: [], columns }
    return answer
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 30; i += 1) await Promise.resolve()
}

function gauge(id: number): BoardSeries {
  const name = `g${id}`
  return { id, name, caption: name, kind: 'gauge', source: 's', about: {}, statistic: undefined }
}

function counter(id: number): BoardSeries {
  return { ...gauge(id), kind: 'counter', name: `c${id}` }
}

function bench(board = new Board()) {
  const hub = new InventedHub()
  let fed = 0
  const feed = new HubFeed({
    ...{ store: hub, board },
    windowS: () => board.windowS,
    onFed: () => {
      fed += 1
    },
  })
  return { hub, board, feed, fed: () => fed }
}

/** What a board has of a line, as ms since the start and values. */
function samplesOf(board: Board, name: string): [number, number][] {
  const line = board.lineOf(name)
  if (line === undefined) return []
  return line.log.chunks.flatMap(({ times, values, length }) =>
    Array.from({ length }, (_, i) => [
      Math.round(board.originMs - START + times[i]! * 1000),
      values[i]!,
    ]),
  )
}

test('a line that went while its past was read does not come back with it', async () => {
  const { hub, board, feed } = bench()
  hub.isSlow = true
  hub.measure(START + 100, { 1: 1, 2: 2 })
  feed.follow([gauge(1), gauge(2)], 0.1)
  await hub.carry()
  hub.measure(START + 200, { 1: 3, 2: 4 })
  await hub.tell()
  feed.follow([gauge(2)], 0.1)
  await hub.answer()
  await hub.carry()
  await hub.answer()
  assert.equal(board.lineOf('g1'), undefined)
  assert.deepEqual(samplesOf(board, 'g2'), [
    [100, 2],
    [200, 4],
  ])
})

test('what was measured before comes first, then everything once', async () => {
  const { hub, board, feed, fed } = bench()
  for (let i = 0; i < 50; i++) hub.measure(START + i * 100, { 1: i })
  feed.follow([gauge(1)], 0.1)
  await settled()
  assert.equal(hub.requests.length, 0)
  await hub.carry()
  for (let i = 50; i < 60; i++) hub.measure(START + i * 100, { 1: i })
  await hub.tell()
  const expected = Array.from({ length: 60 }, (_, i) => [i * 100, i])
  assert.deepEqual(samplesOf(board, 'g1'), expected)
  assert.equal(board.counts.late, 0)
  assert.equal(fed(), 2)
  assert.deepEqual(hub.requests, ['1 -595100 64900'])
})

test('a line that joins brings its past along, and the others miss nothing', async () => {
  const { hub, board, feed } = bench()
  hub.measure(START, { 1: 0, 2: 0 })
  feed.follow([gauge(1)], 0.1)
  await hub.carry()
  for (let i = 1; i < 20; i++) {
    hub.measure(START + i * 100, { 1: i, 2: -i })
    if (i === 10) feed.follow([gauge(1), gauge(2)], 0.1)
    // the stream has told before it carries the other
    await hub.tell()
    if (i === 10) {
      hub.measure(START + i * 100 + 50, { 1: i + 0.5, 2: -i - 0.5 })
      await hub.tell()
      await hub.carry()
    }
  }
  const all = hub.rows.map(({ timeMs, values }) => [timeMs - START, values[1]])
  assert.deepEqual(samplesOf(board, 'g1'), all)
  assert.deepEqual(
    samplesOf(board, 'g2'),
    all.map(([time, value]) => [time, -value! || 0]),
  )
})

test('what was missed while the connection was lost is read back and tested', async () => {
  const board = new Board({ triggers: [{ key: 'g1', below: null, above: 1000 }] })
  const { hub, feed } = bench(board)
  feed.follow([gauge(1)], 0.1)
  await hub.carry()
  for (let i = 0; i < 10; i++) hub.measure(START + i * 100, { 1: i })
  await hub.tell()
  hub.cut()
  for (let i = 10; i < 40; i++) hub.measure(START + i * 100, { 1: i === 20 ? 5000 : i })
  await hub.reconnect()
  hub.measure(START + 4000, { 1: 40 })
  await hub.tell()
  assert.equal(samplesOf(board, 'g1').length, 41)
  assert.equal(board.events.list.length, 1)
  assert.equal(hub.requests.at(-1), '1 900 63900')
})

test('every sample comes once and in order, however cuts, news and joiners fall', async () => {
  const step = fc.constantFrom(
    ...[
      'measure',
      'tell',
      'measure',
      'tell',
      'cut',
      'reconnect',
      'join',
      'pace',
      'post',
      'carry',
      'answer',
    ],
  )
  await holdsAsync(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(2000), async (steps, behindMs) => {
      const { hub, board, feed } = bench()
      hub.isSlow = true
      hub.behindMs = behindMs
      let series = [gauge(1)]
      feed.follow(series, 0.1)
      await hub.carry()
      let timeMs = START
      const measure = (): void => {
        timeMs += 100
        hub.measure(timeMs, { 1: timeMs - START, 2: timeMs - START })
      }
      for (const each of steps) {
        if (each === 'measure') measure()
        if (each === 'tell') await hub.tell()
        if (each === 'answer') await hub.answer()
        if (each === 'cut') hub.cut()
        if (each === 'reconnect') await hub.reconnect()
        if (each === 'post' && !hub.isCut) hub.post()
        if (each === 'carry' && !hub.isCut) await hub.carry()
        if (each === 'pace') feed.intervalS = timeMs % 300 === 0 ? 0.02 : 0.05
        if (each === 'join') {
          series = [gauge(1), gauge(2)]
          feed.follow(series, 0.1)
        }
      }
      if (hub.isCut) await hub.reconnect()
      await hub.carry()
      measure()
      await hub.tell()
      for (let i = 0; i < 4; i++) await hub.answer()
      const all = hub.rows.map((row) => [row.timeMs - START, row.values[1]])
      for (const { name } of series) assert.deepEqual(samplesOf(board, name), all)
      assert.equal(board.counts.late, 0)
    }),
  )
})

test('a viewer whose clock is behind the hub’s loses no sample at a change of pace', async () => {
  const { hub, board, feed } = bench()
  hub.behindMs = 1500
  feed.follow([gauge(1)], 0.1)
  await hub.carry()
  for (let i = 1; i <= 30; i++) {
    hub.measure(START + i * 20, { 1: i === 20 ? 41 : 10 })
    if (i === 10) feed.intervalS = 0.02
    // told at the old pace until the hub has changed it; this row is told by neither
    if (i % 5 === 0 && i !== 20) await hub.tell()
    if (i === 20) await hub.carry()
  }
  const all = hub.rows.map(({ timeMs, values }) => [timeMs - START, values[1]])
  assert.deepEqual(samplesOf(board, 'g1'), all)
})

test('counters are rates at the ends of seconds: 0 in a quiet one, a gap while away', async () => {
  const { hub, board, feed } = bench()
  hub.nowMs = START + 3020
  feed.follow([counter(100)], 0.1)
  await hub.carry()
  await hub.second(START + 4000, { counters: [[100, 7]] })
  await hub.second(START + 5000)
  hub.areAway = true
  await hub.second(START + 6000)
  hub.areAway = false
  await hub.second(START + 7000, { counters: [[100, '9']] })
  const samples = samplesOf(board, 'c100')
  assert.deepEqual(samples.slice(-5), [
    ...[
      [2000, 30],
      [3000, 30],
      [4000, 7],
      [5000, 0],
      [7000, 9],
    ],
  ])
  assert.equal(hub.ranges.length, 1)
})

test('seconds between the past and the stream are read, once', async () => {
  const { hub, board, feed } = bench()
  hub.nowMs = START + 1020
  feed.follow([counter(100)], 0.1)
  await hub.carry()
  await hub.second(START + 4000, { counters: [[100, 7]] })
  await hub.second(START + 5000, { counters: [[100, 8]] })
  assert.deepEqual(samplesOf(board, 'c100').slice(-4), [
    ...[
      [2000, 30],
      [3000, 30],
      [4000, 30],
      [5000, 8],
    ],
  ])
  assert.equal(hub.ranges.length, 2)
})

test('a gauge that nothing sampled has its seconds, with what they went through', async () => {
  const { hub, board, feed } = bench()
  hub.nowMs = START + 2020
  feed.follow([gauge(7)], 0.1)
  await hub.carry()
  assert.deepEqual(samplesOf(board, 'g7').slice(-4), [
    ...[
      [667, 9],
      [1000, 5],
      [1667, 9],
      [2000, 5],
    ],
  ])
})

test('a gauge that is not known any more ends there', async () => {
  const { hub, board, feed } = bench()
  feed.follow([gauge(1)], 0.1)
  await hub.carry()
  hub.measure(START + 100, { 1: 1 })
  await hub.tell()
  await hub.second(START + 1000, { gauges: [[1, null]] })
  assert.equal(board.lineOf('g1')!.value, Number.NaN)
})

test('more than the hub gives at once is asked for in less time, then fewer series', async () => {
  const { hub, board, feed } = bench(new Board({ windowS: 10 }))
  for (let i = 0; i < 6000; i++) hub.measure(START + i * 100, { 1: i, 2: i })
  hub.valuesLimit = 400
  feed.follow([gauge(1), gauge(2)], 0.1)
  await hub.carry()
  assert.deepEqual(
    hub.requests.map((each) => each.split(' ')[0]),
    ['1,2', '1,2', '1,2', '1', '2'],
  )
  assert.equal(samplesOf(board, 'g1').filter(([ms]) => ms > 562_400).length, 375)
})
