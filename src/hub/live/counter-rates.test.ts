import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packet, sendUdp, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'
import { holds } from '../../../test/support/property.ts'
import { MovingAverages } from '../../model/index.ts'
import { Zone } from '../../shm/index.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import type { SeriesRecord } from '../series/record.ts'
import { SeriesStore } from '../series/series.ts'
import { runNow } from '../tasks/task.ts'
import type { Rates } from '../view.ts'
import { CounterRates } from './counter-rates.ts'
import { type Frame, FrameBuilder } from './frame.ts'

test('three events, then idle: the moving averages of the meters libraries', async () => {
  const started = await startHub()
  const { hub, clock } = started
  await sendUdp(started, [packet('a:3|m\nq:1|g\n')])
  clock.advance(6000)
  const record = seriesNamed(hub, 'a')
  const first = hub.rates(record)!
  assert.deepEqual([first.m1, first.m5, first.m15], [0.6, 0.6, 0.6])
  clock.advance(60_000)
  const later = hub.rates(record)!
  assert.equal(Math.abs(later.m1 - 0.2207276647028656) < 1e-9, true)
  assert.equal(Math.abs(later.m15 - 0.5613041910189704) < 1e-9, true)
  assert.equal(Math.abs(later.mean - 3 / 66) < 1e-9, true)
  assert.equal(hub.rates(seriesNamed(hub, 'q')), undefined)
  await hub.stop()
})

test('rates are net of what counted down, whichever of the two came first', async () => {
  const started = await startHub()
  const { hub, clock } = started
  await sendUdp(started, [packet('a:5|m\na:-2|m\nfalls:-3|m\nlate:6|m\nnet:6|m\n')])
  clock.advance(6000)
  const { mean, m1, m5, m15 } = hub.rates(seriesNamed(hub, 'a'))!
  assert.deepEqual([mean, m1, m5, m15], [0.5, 0.6, 0.6, 0.6])
  assert.deepEqual(hub.rates(seriesNamed(hub, 'falls')), {
    mean: -0.5,
    m1: -0.6,
    m5: -0.6,
    m15: -0.6,
  })
  await sendUdp(started, [packet('late:-4|m\nlate:9|m\nnet:5|m\n')])
  clock.advance(60_000)
  assert.deepEqual(hub.rates(seriesNamed(hub, 'late')), hub.rates(seriesNamed(hub, 'net')))
  await hub.stop()
})

/** Meters as the libraries keep them: an object each. */
class Meters {
  readonly #meters = new Map<number, { startMs: number; averages: MovingAverages; count: number }>()
  #nowMs = 0

  take(frame: Frame): void {
    this.#nowMs += frame.seconds * 1000
    for (const [row, id] of frame.counterIds.entries()) {
      const startMs = this.#nowMs - frame.seconds * 1000
      const meter = this.#meters.get(id) ?? { startMs, averages: new MovingAverages(0), count: 0 }
      this.#meters.set(id, meter)
      const delta = Number(frame.deltaAt(row))
      meter.averages.advance((this.#nowMs - meter.startMs) * 1e6)
      meter.averages.add(delta)
      meter.count += delta
    }
  }

  read(id: number): Rates {
    const meter = this.#meters.get(id)
    if (meter === undefined) return { mean: 0, m1: 0, m5: 0, m15: 0 }
    const ageMs = this.#nowMs - meter.startMs
    meter.averages.advance(ageMs * 1e6)
    const { m1, m5, m15 } = meter.averages
    return { mean: ageMs > 0 ? (meter.count * 1000) / ageMs : 0, m1, m5, m15 }
  }
}

test('rates kept in columns are those of an object for each counter, bit by bit', () => {
  const delta = fc.oneof(
    fc.nat({ max: 5 }),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  )
  const second = fc.record({
    seconds: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) },
      fc.constant(50_000),
    ),
    deltas: fc.uniqueArray(fc.tuple(fc.constantFrom(1, 2, 1023, 1024, 5000), delta), {
      selector: ([id]) => id,
    }),
    read: fc.constantFrom(1, 1024, 4000),
  })
  holds(
    fc.property(fc.array(second, { maxLength: 40 }), (seconds) => {
      const store = new SeriesStore(Zone.create(), SERIES_LIMITS, () => 0)
      const rates = new CounterRates(store)
      const meters = new Meters()
      for (const { seconds: length, deltas, read } of seconds) {
        const builder = new FrameBuilder()
        for (const [id, value] of deltas.toSorted(([a], [b]) => a - b)) builder.counter(id, value)
        const frame = builder.build(0, length)
        meters.take(frame)
        runNow(rates.take(frame))
        const record = { id: read, kind: 'counter' } as SeriesRecord
        assert.deepEqual(rates.read(record), meters.read(read))
      }
    }),
  )
})

test('a counter that has left gives its row back', async () => {
  const { hub, clock, ...rest } = await startHub()
  await sendUdp({ hub, clock, ...rest }, [packet('a:3|m\n')])
  clock.advance(6000)
  const record = seriesNamed(hub, 'a')
  hub.series.unlink([record])
  clock.advance(1000)
  hub.series.remove([record])
  assert.deepEqual(hub.rates(record), { mean: 0, m1: 0, m5: 0, m15: 0 })
  await hub.stop()
})
