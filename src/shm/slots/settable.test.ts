import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined } from '../../../test/support/threads/shm.ts'
import { U64_MAX } from '../../model/index.ts'
import { type SettableHandle, Zone } from '../index.ts'

const SETTABLE = { mode: 'settable' } as const

/** A counter of several threads, which are writers of one zone here. */
function counterOf(writers: number) {
  const zone = Zone.create()
  const metric = defined(zone, 'a', 'counter', SETTABLE)
  const reader = zone.reader()
  const handles = Array.from({ length: writers }, () => zone.attach().settableCounter(metric)!)
  return {
    zone,
    metric,
    handles: handles as [SettableHandle, SettableHandle, SettableHandle],
    total: () => reader.counter(metric),
    reading: () => reader.counterReading(metric),
  }
}

const amount = fc.oneof(
  fc.integer({ min: -3, max: 2 ** 31 - 1 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.bigInt({ min: -5n, max: U64_MAX + 5n }),
  fc.nat({ max: 64 }).chain((k) => fc.constantFrom(2n ** BigInt(k), 2n ** BigInt(k) - 1n)),
)
const step = fc.record({
  writer: fc.nat({ max: 2 }),
  what: fc.constantFrom('add', 'set', 'leave', 'replace'),
  amount,
})

function added(handle: SettableHandle, n: number | bigint): boolean | undefined {
  return typeof n === 'bigint' ? handle.addExact(n) : handle.add(n)
}

test('a total is exact up to 2^64 - 1, never falls, and writers read what they set', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const zone = Zone.create({ workersLimit: 4 })
      const metric = defined(zone, 'a', 'counter', SETTABLE)
      const writers = [zone.attach(), zone.attach(), zone.attach()]
      const reader = zone.reader()
      let total = 0n
      let reading = 0n
      let replacements = 0
      for (const { writer, what, amount: n } of steps) {
        const handle = writers[writer]!.settableCounter(metric)!
        const isInteger = typeof n === 'bigint' || Number.isSafeInteger(n)
        const value = isInteger ? BigInt(n) : -1n
        const isAmount = value >= 0n && value <= U64_MAX
        if (what === 'leave') {
          writers[writer]!.detach()
          assert.equal(handle.add(1), undefined)
          assert.equal(handle.setTotal(1), undefined)
          writers[writer] = zone.attach()
        } else if (what === 'replace') {
          zone.reconfigure({ workersLimit: 5 + replacements++ })
        } else if (what === 'add') {
          const fits = total + value <= U64_MAX
          assert.equal(added(handle, n), isAmount ? fits : undefined, `${n}`)
          if (isAmount && fits) {
            total += value
            reading += value
          }
        } else if (isAmount) {
          const growth = value < reading ? value : value - reading
          const isCapped = total + growth > U64_MAX
          const change = isCapped ? 'capped' : value < reading ? 'reset' : 'set'
          assert.equal(handle.setTotal(n), change, `${n}`)
          total = isCapped ? U64_MAX : total + growth
          reading = value
        } else assert.equal(handle.setTotal(n), undefined, `${n}`)
        assert.equal(reader.counter(metric), total)
        assert.equal(reader.counterReading(metric), reading)
      }
    }),
  )
})

test('the end of a total is seen by a thread that has added little, whatever others added', () => {
  const { handles, total } = counterOf(3)
  const [a, b, c] = handles
  assert.equal(b.add(1), true)
  assert.equal(a.addExact(U64_MAX - 3n), true)
  assert.deepEqual([b.add(1), c.addExact(1n), b.add(1), c.addExact(1n)], [true, true, false, false])
  assert.equal(total(), U64_MAX)
  const second = counterOf(3)
  // none of these takes a slot to where it alone would be looked at twice
  const parts = second.handles.flatMap((handle) => [handle, handle])
  assert.deepEqual(
    parts.map((handle) => handle.addExact(2n ** 62n - 1n)),
    [true, true, true, true, false, false],
  )
  assert.equal(second.total(), 4n * (2n ** 62n - 1n))
})

test('what was set lower is read by all threads, and forgotten with the metric', () => {
  const { zone, metric, handles, total, reading } = counterOf(2)
  const [a, b] = handles
  a.add(100)
  assert.equal(b.setTotal(70), 'reset')
  assert.deepEqual([reading(), total()], [70n, 170n])
  a.add(5)
  assert.deepEqual([reading(), total()], [75n, 175n])
  assert.equal(a.setTotal(75n), 'set')
  zone.retire(metric)
  assert.equal(defined(zone, 'b', 'counter', SETTABLE), metric)
  assert.deepEqual([reading(), total()], [0n, 0n])
  assert.equal(zone.attach().settableCounter(metric)!.addUnlooked(1n), true)
})

test('handles are those of the mode', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const settable = defined(zone, 'settable', 'counter', SETTABLE)
  const plain = defined(zone, 'plain', 'counter')
  assert.throws(() => writer.counter(settable), /metric 0 is a settable counter/)
  assert.throws(() => writer.counterPlace(settable), /metric 0 is a settable counter/)
  assert.throws(() => writer.settableCounter(plain), /metric 1 is no settable counter/)
  assert.equal(zone.reader().counterReading(plain), 0n)
})
