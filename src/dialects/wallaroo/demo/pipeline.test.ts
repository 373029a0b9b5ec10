import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NanoClock } from '../../../../test/support/nano-clock.ts'
import type { Metrics } from '../codec/encode.ts'
import { Reporter } from '../reporter/reporter.ts'
import { binCountsOf } from '../test/frames.ts'
import { PipelineWorker, WORKERS } from './pipeline.ts'

const START = 1_700_000_000_000_000_000n
const SECOND = 1_000_000_000n
/** Upper bound of bin 22: 4 ms, far above every usual latency of the pipelines. */
const SLOW_BIN = 22

/** What a worker's reporter sends in so many seconds. */
function report(worker: string, seed: number, seconds: number): Metrics[] {
  const clock = new NanoClock(START)
  const sent: Metrics[] = []
  const reporter = new Reporter({
    ...{ application: 'exchange', worker, clock, periodMs: 1000 },
    send: (batch) => {
      for (const window of batch) sent.push({ ...window, bins: Array.from(window.bins) })
    },
  })
  const pipelines = new PipelineWorker(worker, reporter, seed)
  for (let step = 1; step <= seconds * 10; step++) {
    pipelines.step(0.1)
    clock.moveTo(START + (BigInt(step) * SECOND) / 10n)
  }
  reporter.close()
  return sent
}

function countsOf({ bins }: Metrics) {
  return binCountsOf(Object.fromEntries(Array.from(bins, (count, i) => [i, BigInt(count)])))
}

function slowShare(windows: readonly Metrics[]): number {
  let all = 0
  let slow = 0
  for (const window of windows) {
    const counts = countsOf(window)
    for (let bin = 0; bin <= 64; bin++) {
      all += counts.approximate(bin)
      if (bin > SLOW_BIN) slow += counts.approximate(bin)
    }
  }
  return slow / all
}

test('one computation is slow, on one worker, for a few messages in a hundred', () => {
  for (const [i, worker] of WORKERS.entries()) {
    const computations = report(worker, 17 + i, 20).filter((w) => w.category === 'computation')
    const names = new Set(computations.map(({ pipeline, name }) => `${pipeline} ${name}`))
    assert.equal(names.size, 7)
    for (const key of names) {
      const share = slowShare(computations.filter((w) => `${w.pipeline} ${w.name}` === key))
      const isSlow = worker === 'worker2' && key === 'Orders Check Limit'
      if (isSlow) assert.ok(share > 0.015 && share < 0.05, `${share}`)
      else assert.equal(share, 0, `${key} on ${worker}`)
    }
  }
})

test('what is ingested is completed, in every window', () => {
  const windows = report('worker3', 3, 10)
  const totals = (category: string): Map<string, bigint> =>
    new Map(
      windows
        .filter((window) => window.category === category)
        .map((window) => [`${window.pipeline} ${window.endNs}`, countsOf(window).total()]),
    )
  assert.ok(totals('start-to-end').size >= 20)
  assert.deepEqual(totals('pipeline-ingestion'), totals('start-to-end'))
})
