/** Windows of any length and time: what is shown is every second once, wherever it comes from. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { holdsAsync } from '../../../test/support/property.ts'
import { START, started } from '../../../test/support/store-bench.ts'

const HOUR = 3600

/** Gives each second a number of its own, so that one that is missing or told twice is seen. */
const deltaOf = (endS: number): number => 1 + ((endS * 7919) % 1009)

test('an hour is read in steps, and goes on with the one that is open', async (t) => {
  const bench = await started(t)
  bench.deltaOf = deltaOf
  bench.store.setWindow(HOUR)
  bench.store.screen.show(1)
  await bench.pass(200)
  const steps = () => bench.ranges.filter(({ stepMs }) => stepMs === 5000)
  assert.deepEqual(steps(), [
    { series: [1], fromMs: (START - 5 - HOUR) * 1000, toMs: (START - 1) * 1000, stepMs: 5000 },
  ])
  for (let second = START + 1; second <= START + 11; second += 1) {
    await bench.second(second, [[1, deltaOf(second)]])
    await bench.pass(100)
  }
  const later = steps().slice(1)
  assert.ok(later.length >= 2 && later.length <= 3, `${later.length} times in 11 s`)
  for (const { fromMs, toMs } of later) assert.ok(toMs - fromMs <= 15_000 && fromMs % 5000 === 0)
  const data = bench.store.data(1)!
  assert.equal(data.secondsAt(START + 5), 5)
  assert.equal(data.at('rate', START + 3) * 5, sumOf(START, START + 5))
})

test('a picture of another time is read once, and stands still', async (t) => {
  const bench = await started(t)
  bench.deltaOf = deltaOf
  bench.store.setWindow(6 * HOUR)
  bench.store.pause(START - 86_400 + 7)
  bench.store.screen.show(1)
  await bench.pass(200)
  const asked = bench.ranges.length
  const edge = bench.store.clock.edge()
  assert.equal(edge, START - 86_400, 'it ends with a whole step')
  const shown = [...bench.store.data(1)!.values('rate', edge - 6 * HOUR, edge)]
  for (let second = START + 1; second <= START + 40; second += 1) await bench.second(second, [])
  await bench.pass(1000)
  assert.equal(bench.ranges.length, asked)
  assert.equal(bench.store.clock.edge(), edge)
  assert.deepEqual([...bench.store.data(1)!.values('rate', edge - 6 * HOUR, edge)], shown)
  assert.equal(shown.length, 720)
  assert.equal(shown[0]! * 30, sumOf(edge - 6 * HOUR, edge - 6 * HOUR + 30))
})

test('where seconds are no longer kept, the picture has the steps that are', async (t) => {
  const bench = await started(t)
  bench.deltaOf = deltaOf
  bench.keptStep = (fromS) => (fromS < START - 7 * 86_400 ? 60 : 1)
  bench.store.pause(START - 8 * 86_400)
  bench.store.screen.show(1)
  await bench.pass(200)
  await bench.pass(200)
  const { clock } = bench.store
  assert.equal(clock.step.value, 60)
  assert.equal(bench.store.data(1)!.step, 60)
  const end = clock.edge()
  assert.equal(Math.round(bench.store.data(1)!.at('rate', end) * 60), sumOf(end - 60, end))
  const asked = bench.ranges.length
  bench.store.pause(START - 8 * 86_400 - 600)
  await bench.pass(200)
  assert.deepEqual(
    bench.ranges.slice(asked).map(({ stepMs }) => stepMs),
    [60_000],
    'it is known by now',
  )
  bench.store.pause(START - 86_400)
  await bench.pass(200)
  assert.equal(clock.step.value, 1, 'of a later time there are seconds')
})

test('an earlier time is read ahead, and beside what is shown', async (t) => {
  const bench = await started(t)
  bench.deltaOf = deltaOf
  bench.store.screen.show(1)
  const end = bench.store.compare(1, 86_400)
  await bench.pass(200)
  const ofYesterday = () => bench.ranges.filter(({ toMs }) => toMs < (START - HOUR) * 1000)
  assert.equal(ofYesterday().length, 1)
  for (let second = START + 1; second <= START + 30; second += 1) {
    await bench.second(second, [[1, deltaOf(second)]])
  }
  assert.equal(ofYesterday().length, 1)
  const edge = bench.store.clock.edge()
  const earlier = bench.store.earlier(1)!
  for (const ago of [0, 1, 59]) {
    const second = edge - 86_400 - ago
    assert.equal(earlier.at('rate', second), deltaOf(second))
  }
  end()
  assert.equal(bench.store.earlier(1), undefined)
})

const action = fc.oneof(
  fc.record({ window: fc.constantFrom(10, 60, 900, 1200, HOUR, 5000, 21_600, 86_400, 604_800) }),
  fc.record({ ago: fc.nat(1_000_000) }),
  fc.constant({ live: true }),
  fc.record({ seconds: fc.integer({ min: 1, max: 12 }) }),
)

test('however one looks, every second of the picture is there once', async (t) => {
  await holdsAsync(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
      mock.timers.reset()
      const bench = await started(t)
      bench.deltaOf = deltaOf
      const { store } = bench
      const { clock } = store
      store.screen.show(1)
      await bench.pass(200)
      let now = START
      for (const each of actions) {
        if ('window' in each) store.setWindow(each.window)
        else if ('ago' in each) store.pause(now - each.ago)
        else if ('live' in each) store.resume()
        else {
          for (const end = now + each.seconds; now < end; ) {
            now += 1
            await bench.second(now, [[1, deltaOf(now)]])
          }
        }
        await bench.pass(50)
      }
      for (let i = 0; i < 6; i += 1) {
        now += 1
        await bench.second(now, [[1, deltaOf(now)]])
        await bench.pass(100)
      }
      const data = store.data(1)!
      const to = clock.edge()
      const from = to - clock.window.peek()
      assert.equal(data.step, clock.step.peek())
      let known = 0
      for (let end = data.endOf(from + 1); end - data.step < data.coveredTo; end += data.step) {
        const seconds = data.secondsAt(end)
        const begin = end - data.step
        const told = data.at('rate', end) * seconds
        assert.ok(Math.abs(told - sumOf(begin, begin + seconds)) < 1e-6, `step to ${end}: ${told}`)
        known = begin + seconds
      }
      assert.ok(
        known >= to - 5 && (data.step > 1 || known >= to),
        `${to - known} s are missing at the end`,
      )
      store.stop()
    }),
    60,
  )
})

/** Sums the seconds (from, to]. */
function sumOf(from: number, to: number): number {
  let sum = 0
  for (let end = from + 1; end <= to; end += 1) sum += deltaOf(end)
  return sum
}

test('a held picture whose past can not be read is not asked for each second', async (t) => {
  const bench = await started(t)
  bench.gate = Promise.reject(new Error('the answer is 503'))
  bench.gate.catch(() => {})
  bench.store.setWindow(6 * HOUR)
  bench.store.pause(START - 86_400)
  bench.store.screen.show(1)
  await bench.pass(200)
  const asked = bench.ranges.length
  assert.ok(asked > 0)
  for (let second = START + 1; second <= START + 8; second += 1) {
    await bench.second(second, [])
    bench.store.screen.show(1)()
    await bench.pass(200)
  }
  assert.equal(bench.ranges.length, asked)
})
