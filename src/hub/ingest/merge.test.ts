import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seriesNamed, startHub, type TestHub } from '../../../test/support/hub/hub.ts'
import { CounterFeed } from '../../dialects/eventcounters/test/counter-feed.ts'
import { type Ingest, REFUSED } from '../../dialects/ingest.ts'
import {
  type CounterCell,
  Histogram,
  type HistogramCell,
  type Identity,
  identityKey,
  type Kind,
  keyedHash,
  type Summary,
} from '../../model/index.ts'
import type { Frame } from '../live/frame.ts'

function slotOf(ingest: Ingest, name: string, kind: Kind): number {
  const identity: Identity = { name, kind, labels: [['provider', 'Shop']] }
  const key = identityKey(identity)
  const hash = keyedHash(key, 0, key.length)
  const metadata = { dialect: 'eventcounters' }
  return ingest.slot(key, 0, key.length, 0, hash, () => ({ identity, metadata }))
}

function windowedSlotOf(ingest: Ingest, name: string): number {
  const identity: Identity = { name, kind: 'histogram', labels: [] }
  const key = identityKey(identity)
  const description = { identity, metadata: { dialect: 'wallaroo' }, isWindowed: true }
  return ingest.slot(key, 0, key.length, 0, keyedHash(key, 0, key.length), () => description)
}

function windowOf(value: number): HistogramCell {
  const histogram = new Histogram(0)
  histogram.record(value)
  return { kind: 'histogram', histogram }
}

const growth = (delta: CounterCell['delta']): CounterCell => ({ kind: 'counter', delta })
const ONE: Summary = { count: 1, mean: 4, squares: 0, min: 4, max: 4 }

async function withHub(
  run: (started: TestHub, ingest: Ingest, frames: Frame[]) => void,
  options: Record<string, unknown> = {},
): Promise<void> {
  const started = await startHub(options)
  const frames: Frame[] = []
  started.hub.sessions.open({ intervalS: 1, onFrame: (frame) => frames.push(frame) })
  try {
    const ingest = started.hub.createIngest('eventcounters')
    ingest.begin('10.0.0.1')
    run(started, ingest, frames)
  } finally {
    await started.hub.stop()
  }
}

suite('merge', () => {
  test('a window is in the frame of the running second and in the total', () =>
    withHub(({ hub, clock }, ingest, frames) => {
      ingest.merge(slotOf(ingest, 'c', 'counter'), growth(2.5))
      ingest.merge(slotOf(ingest, 's', 'summary'), { kind: 'summary', summary: ONE })
      clock.advance(1000)
      const counter = seriesNamed(hub, 'c')
      const summary = seriesNamed(hub, 's')
      assert.deepEqual(frames[0]!.cell(counter.id, 'counter'), growth(2.5))
      assert.deepEqual(frames[0]!.cell(summary.id, 'summary'), { kind: 'summary', summary: ONE })
      assert.deepEqual(hub.total(counter), { kind: 'counter', total: 2.5, decrements: 0 })
    }))

  test('a histogram that comes as windows is added up, in the second and in the total', () =>
    withHub(({ hub, clock }, ingest, frames) => {
      const slot = windowedSlotOf(ingest, 'h')
      for (const value of [3, 5]) ingest.merge(slot, windowOf(value))
      const record = seriesNamed(hub, 'h')
      const open = hub.total(record)
      assert.ok(open.kind === 'histogram' && open.histogram.count === 2n)
      clock.advance(1000)
      ingest.merge(slot, windowOf(1))
      ingest.merge(slot, { kind: 'histogram', histogram: new Histogram(0) })
      clock.advance(2000)
      const counts = frames.map((frame) => {
        const cell = frame.cell(record.id, 'histogram')
        return cell?.kind === 'histogram' ? cell.histogram.count : undefined
      })
      assert.deepEqual(counts, [2n, 1n, undefined])
      const total = hub.total(record)
      assert.ok(total.kind === 'histogram')
      const { count, sum, min, max } = total.histogram
      assert.deepEqual([count, sum, min, max], [3n, 9, 1, 5])
      assert.equal(record.lastDataMs, clock.startMs + 2000)
    }))

  test('a histogram of windows takes no observation, one of observations no window', () =>
    withHub(({ hub }, ingest) => {
      const windowed = windowedSlotOf(ingest, 'w')
      const observed = slotOf(ingest, 'o', 'histogram')
      ingest.observe(windowed, 1, 1)
      ingest.merge(observed, windowOf(1))
      for (const name of ['w', 'o']) {
        const total = hub.total(seriesNamed(hub, name))
        assert.ok(total.kind === 'histogram' && total.histogram.isEmpty, name)
      }
    }))

  test('what was observed before the first window is in the total only', () =>
    withHub(({ hub, clock }, ingest, frames) => {
      const earlier: Summary = { count: 2, mean: 7, squares: 2, min: 6, max: 8 }
      const slot = slotOf(ingest, 's', 'summary')
      ingest.merge(slot, { kind: 'summary', summary: ONE }, 1, earlier)
      clock.advance(1000)
      const record = seriesNamed(hub, 's')
      assert.deepEqual(frames[0]!.cell(record.id, 'summary'), { kind: 'summary', summary: ONE })
      const total = hub.total(record)
      assert.ok(total.kind === 'summary')
      assert.deepEqual([total.summary.count, total.sum, total.summary.max], [3, 18, 8])
      assert.equal(total.last.count, 1)
    }))

  test('what no total can take is refused and counted, also what would overflow', () =>
    withHub(({ hub }, ingest) => {
      const slot = slotOf(ingest, 'c', 'counter')
      for (const delta of [-1, Number.NaN, 2n ** 64n]) ingest.merge(slot, growth(delta))
      const { refusals } = hub.sources()
      assert.deepEqual(
        refusals.map(({ code, count }) => [code, count]),
        [['value_range', 3]],
      )
      assert.deepEqual(hub.total(seriesNamed(hub, 'c')), {
        kind: 'counter',
        total: 0,
        decrements: 0,
      })
    }))

  test('a cell of another kind than the series, and a refused slot, are ignored', () =>
    withHub(({ hub }, ingest) => {
      ingest.merge(slotOf(ingest, 's', 'summary'), growth(1))
      ingest.merge(REFUSED, growth(1))
      const total = hub.total(seriesNamed(hub, 's'))
      assert.equal(total.kind === 'summary' && total.summary.count, 0)
      assert.deepEqual(hub.sources().refusals, [])
    }))

  test('summaries count under the limits; above them their windows go to the overflow', () =>
    withHub(
      ({ hub }, ingest) => {
        for (const name of ['a', 'b', 'c', 'd']) {
          ingest.merge(slotOf(ingest, name, 'summary'), { kind: 'summary', summary: ONE })
        }
        const { countedSize } = hub.series
        assert.equal(countedSize, 2)
        const total = hub.total(seriesNamed(hub, 'pentameter.overflow', 'summary'))
        assert.equal(total.kind === 'summary' && total.summary.count, 2)
      },
      { seriesLimit: 2 },
    ))

  test('a silent summary expires, one with empty windows stays; it comes back empty', () =>
    withHub(
      ({ hub, clock }, ingest) => {
        for (const name of ['silent', 'quiet']) {
          ingest.merge(slotOf(ingest, name, 'summary'), { kind: 'summary', summary: ONE })
        }
        const empty = { ...ONE, count: 0 }
        for (let second = 0; second < 8; second++) {
          ingest.merge(slotOf(ingest, 'quiet', 'summary'), { kind: 'summary', summary: empty })
          clock.advance(1000)
        }
        const names = [...hub.series].filter(({ source }) => source !== 'hub')
        assert.deepEqual(
          names.map(({ identity }) => identity.name),
          ['quiet'],
        )
        slotOf(ingest, 'silent', 'summary')
        const total = hub.total(seriesNamed(hub, 'silent'))
        assert.equal(total.kind === 'summary' && total.summary.count, 0)
      },
      { expireAfterS: 5, staleAfterS: 2 },
    ))
})

suite('retire', () => {
  test('the series leaves at once, after its last cell; its key makes a new one', () =>
    withHub(({ hub, clock }, ingest, frames) => {
      const slot = slotOf(ingest, 'g', 'gauge')
      ingest.set(slot, 7)
      const { id } = seriesNamed(hub, 'g')
      const { generation } = ingest
      ingest.retire(slot)
      assert.equal(ingest.generation > generation, true)
      assert.equal(hub.series.countedSize, 0)
      assert.throws(() => seriesNamed(hub, 'g'))
      ingest.set(slotOf(ingest, 'g', 'gauge'), 8)
      const next = seriesNamed(hub, 'g')
      assert.notEqual(next.id, id)
      clock.advance(1000)
      assert.equal(hub.series.get(id), undefined)
      const values = [id, next.id].map((each) => frames[0]!.cell(each, 'gauge'))
      assert.deepEqual(
        values.map((cell) => cell?.kind === 'gauge' && cell.value),
        [7, 8],
      )
    }))

  test('a counter takes its second part with it; a slot retired twice does nothing', () =>
    withHub(({ hub, clock }, ingest) => {
      const slot = slotOf(ingest, 'c', 'counter')
      ingest.count(slot, 5, 1)
      ingest.count(slot, -2, 1)
      ingest.retire(slot)
      ingest.retire(slot)
      ingest.retire(REFUSED)
      clock.advance(1000)
      assert.equal(hub.series.countedSize, 0)
      assert.deepEqual(
        [...hub.series].filter(({ source }) => source !== 'hub'),
        [],
      )
    }))

  test('a gauge that turns out to be a summary is one, with all it has shown', () =>
    withHub(({ hub, clock }, ingest) => {
      const counters = new CounterFeed(ingest)
      for (const value of [3, 5]) {
        counters.mean('t', [value])
        clock.advance(1000)
      }
      assert.equal(seriesNamed(hub, 't').identity.kind, 'gauge')
      counters.mean('t', [1, 11])
      clock.advance(1000)
      const record = seriesNamed(hub, 't')
      assert.equal(record.identity.kind, 'summary')
      const total = hub.total(record)
      assert.ok(total.kind === 'summary')
      const { count, mean, min, max } = total.summary
      assert.deepEqual({ count, mean, min, max }, { count: 4, mean: 5, min: 1, max: 11 })
    }))

  test('with ingest threads the series goes once they have forgotten it', async () => {
    const { hub, clock } = await startHub({ ingestWorkers: 1 })
    try {
      const ingest = hub.createIngest('eventcounters')
      const slot = slotOf(ingest, 'g', 'gauge')
      ingest.set(slot, 7)
      const { id } = seriesNamed(hub, 'g')
      ingest.retire(slot)
      clock.advance(1000)
      assert.notEqual(hub.series.get(id), undefined, 'a thread may still write into it')
      await hub.settle()
      clock.advance(1000)
      assert.equal(hub.series.get(id), undefined)
    } finally {
      await hub.stop()
    }
  })
})
