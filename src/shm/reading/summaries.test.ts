/** Summaries over real threads: every observation is in one taking, whatever becomes of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createZone, defined } from '../../../test/support/threads/shm.ts'
import { ObservingThread } from '../../../test/support/threads/told-threads.ts'
import { turn, until } from '../../../test/support/threads/zone-threads.ts'
import type { Zone } from '../index.ts'

const KEY = 'observed'

/** Adds up the takings of a zone; count and sum of integers are exact. */
class Takings {
  count = 0
  sum = 0
  readonly #reader: ReturnType<Zone['reader']>

  constructor(zone: Zone) {
    this.#reader = zone.reader()
    assert.ok(this.#reader.listen(true))
  }

  take(): void {
    const done = this.#reader.takeSummaries((_metric, { count, sum, mean, min, max, squares }) => {
      this.count += count
      this.sum += sum
      assert.ok(min <= mean && mean <= max && squares >= 0, `${min} ${mean} ${max} ${squares}`)
    })
    assert.ok(done)
  }
}

const total = (threads: readonly ObservingThread[], of: 'count' | 'sum'): number =>
  threads.reduce((sum, thread) => sum + thread[of], 0)

for (const threadCount of [1, 2, 5, 8]) {
  test(`${threadCount} threads: takings add up to what was observed, exactly`, async () => {
    const zone = createZone()
    defined(zone, KEY, 'summary')
    const takings = new Takings(zone)
    const threads = Array.from(
      { length: threadCount },
      (_, i) => new ObservingThread(zone, KEY, 100 * i),
    )
    for (const thread of threads) await thread.attached()
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 50; i++) {
        takings.take()
        await turn()
      }
      for (const thread of threads) await thread.pause()
      takings.take()
      const [count, sum] = [total(threads, 'count'), total(threads, 'sum')]
      assert.deepEqual([takings.count, takings.sum], [count, sum])
      for (const thread of threads) thread.goOn()
    }
    await Promise.all(threads.map((thread) => thread.end()))
    takings.take()
    const [count, sum] = [total(threads, 'count'), total(threads, 'sum')]
    assert.deepEqual([takings.count, takings.sum], [count, sum])
    assert.ok(count > 0)
  })
}

test('of threads that are terminated nothing is lost and nothing counts twice', async () => {
  const zone = createZone()
  defined(zone, KEY, 'summary')
  const takings = new Takings(zone)
  let [count, sum] = [0, 0]
  let deaths = 0
  for (let i = 0; i < 4; i++) {
    const pair = [new ObservingThread(zone, KEY), new ObservingThread(zone, KEY, 50)]
    for (const thread of pair) await thread.attached()
    const least = (i * 7_919) % 3_000
    while (pair.some((thread) => thread.count < least)) {
      takings.take()
      await turn()
    }
    await Promise.all(pair.map((thread) => thread.terminate()))
    deaths += pair.length
    takings.take()
    await until(() => zone.usage().orphansFolded === deaths)
    takings.take()
    count += total(pair, 'count')
    sum += total(pair, 'sum')
    const over = takings.count - count
    assert.ok(over >= 0 && over <= deaths, `${over} more than written down`)
    assert.ok(takings.sum >= sum && takings.sum <= sum + 151 * deaths, `${takings.sum} of ${sum}`)
  }
})

test('a reconfiguration while threads observe moves what was not taken', async () => {
  const zone = createZone()
  defined(zone, KEY, 'summary')
  const takings = new Takings(zone)
  // Threads without turns of their event loop stay in the zone before, and are taken from there.
  const threads = [new ObservingThread(zone, KEY), new ObservingThread(zone, KEY, 1_000)]
  for (const thread of threads) await thread.attached()
  for (let i = 0; i < 6; i++) {
    zone.reconfigure({ workers: 1 + (i % 3) })
    for (let turns = 0; turns < 10; turns++) {
      if (i % 2 === 0) takings.take()
      await turn()
    }
  }
  for (const thread of threads) await thread.pause()
  takings.take()
  assert.deepEqual([takings.count, takings.sum], [total(threads, 'count'), total(threads, 'sum')])
  const seen = threads[0]!.count
  for (const thread of threads) thread.goOn()
  await until(() => threads[0]!.count > seen)
  await Promise.all(threads.map((thread) => thread.end()))
  takings.take()
  assert.deepEqual([takings.count, takings.sum], [total(threads, 'count'), total(threads, 'sum')])
})

test('a thread that runs hears that somebody listens, in the zone it has not left', async () => {
  const zone = createZone()
  defined(zone, KEY, 'summary')
  const thread = new ObservingThread(zone, KEY)
  await thread.attached()
  zone.reconfigure({ workers: 2 })
  assert.equal(zone.usage().segmentsUnmoved, 1)
  await thread.pause()
  const before = thread.count
  const takings = new Takings(zone)
  thread.goOn()
  await until(() => thread.count > before + 1_000)
  await thread.pause()
  takings.take()
  assert.equal(takings.count, thread.count - before)
  thread.goOn()
  await thread.end()
})
