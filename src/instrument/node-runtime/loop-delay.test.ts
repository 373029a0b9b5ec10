import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { LoopDelay } from './loop-delay.ts'
import type { Measurement } from './measured-counter.ts'

/** Between two samples. */
const SAMPLE_INTERVAL_MS = 20
const PASS = { number: 1, nowNs: 0n }

/** An event loop that is as late as told. */
class FakeLoop {
  readonly clock = new FakeClock()
  readonly samples: number[] = []
  readonly delay: LoopDelay
  /** Timers that run. */
  running = 0
  #callback = (): void => {}

  constructor() {
    this.delay = new LoopDelay({
      monotonicNs: () => this.clock.monotonicNs(),
      wallMs: () => this.clock.wallMs(),
      after: (delayMs, callback) => {
        assert.equal(delayMs, SAMPLE_INTERVAL_MS)
        this.running++
        this.#callback = callback
        return () => {
          this.running--
        }
      },
    })
    this.delay.onSample = (delayMs) => this.samples.push(delayMs)
  }

  lateBy(...delays: number[]): void {
    for (const delayMs of delays) {
      this.clock.advance(SAMPLE_INTERVAL_MS + delayMs)
      this.running--
      this.#callback()
    }
  }
}

let loop: FakeLoop
beforeEach(() => {
  loop = new FakeLoop()
  loop.delay.start()
})

/** As near as the buckets of a window that reaches from less than 1 ms to 200 ms tell. */
function assertTakes(measurement: Measurement, expectedMs: number): void {
  const value = measurement.take(PASS)
  assert.ok(value !== undefined && Math.abs(value / expectedMs - 1) < 0.05, `${value} ms`)
}

test('a sample is how much later than wanted the timer ran; early is no delay', () => {
  loop.lateBy(0, 5, 480, -1)
  assert.deepEqual(loop.samples, [0, 5, 480, 0])
})

test('every window has the quantiles of its own samples, whatever the others take', () => {
  const long = loop.delay.quantile(0.5)
  loop.lateBy(100, 100, 100, 100)
  const short = loop.delay.quantile(0.5)
  loop.lateBy(1, 1)
  assertTakes(short, 1)
  loop.lateBy(7)
  assertTakes(short, 7)
  assertTakes(long, 100)
  loop.lateBy(3)
  assertTakes(long, 3)
})

test('one late turn in a hundred shows in the 99th percentile, not in the median', () => {
  const median = loop.delay.quantile(0.5)
  const high = loop.delay.quantile(0.99)
  loop.lateBy(...new Array<number>(98).fill(1), 200, 200)
  assertTakes(median, 1)
  assertTakes(high, 200)
})

test('a window without a sample has no value, nor has one that was ended', () => {
  const ended = loop.delay.quantile(0.5)
  const open = loop.delay.quantile(0.5)
  ended.end?.()
  assert.equal(open.take(PASS), undefined)
  loop.lateBy(4)
  assert.equal(ended.take(PASS), undefined)
  assertTakes(open, 4)
})

test('one timer runs from start to stop, and time between them is no delay', () => {
  loop.delay.start()
  assert.equal(loop.running, 1)
  loop.delay.stop()
  loop.delay.stop()
  assert.equal(loop.running, 0)
  loop.clock.advance(60_000)
  loop.delay.start()
  loop.lateBy(2)
  assert.deepEqual(loop.samples, [2])
})
