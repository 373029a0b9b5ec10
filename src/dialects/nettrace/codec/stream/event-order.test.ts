/** Order of events in time, against sorting all of them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import type { NetTraceEvent } from '../event.ts'
import { EventOrder } from './event-order.ts'

const NO_LIMITS = { waitingEvents: 1000, waitingBytes: 1000 }

function order(limits = NO_LIMITS): { order: EventOrder; out: number[] } {
  const out: number[] = []
  return { order: new EventOrder(limits, ({ sequence }) => out.push(sequence)), out }
}

/** An event with its number in the stream as its sequence. */
function event(sequence: number, ticks: number, isSorted = false): NetTraceEvent {
  return { sequence, ticks, isSorted, payloadSize: 1 } as NetTraceEvent
}

suite('order of events', () => {
  test('what waits goes out in time, up to the next sorted event', () => {
    const { order: events, out } = order()
    for (const each of [event(0, 5), event(1, 3), event(2, 9), event(3, 3)]) events.add(each)
    assert.deepEqual(out, [])
    events.add(event(4, 5, true))
    assert.deepEqual(out, [1, 3, 0, 4])
    events.flush()
    assert.deepEqual(out, [1, 3, 0, 4, 2])
  })

  test('too many that wait go out as they came, until a sorted one', () => {
    const { order: events, out } = order({ waitingEvents: 2, waitingBytes: 1000 })
    for (const [i, ticks] of [9, 8, 7, 6].entries()) events.add(event(i, ticks))
    assert.deepEqual([out, events.unordered], [[0, 1, 2, 3], 4])
    events.add(event(4, 10, true))
    for (const [i, ticks] of [12, 11].entries()) events.add(event(5 + i, ticks))
    events.flush()
    assert.deepEqual([out, events.unordered], [[0, 1, 2, 3, 4, 6, 5], 4])
  })

  test('too many bytes do the same', () => {
    const { order: events, out } = order({ waitingEvents: 1000, waitingBytes: 2 })
    for (const [i, ticks] of [9, 8, 7].entries()) events.add(event(i, ticks))
    assert.deepEqual(out, [0, 1, 2])
  })

  test('any stream that keeps its promises comes out sorted, equal times as they came', () => {
    const times = fc.array(fc.nat({ max: 20 }), { maxLength: 60 })
    holds(
      fc.property(times, (ticks) => {
        const { order: events, out } = order()
        const all = ticks.map((each, i) => {
          return event(
            i,
            each,
            ticks.slice(i).every((later) => later >= each),
          )
        })
        for (const each of all) events.add(each)
        events.flush()
        const wanted = all.toSorted((a, b) => a.ticks - b.ticks).map(({ sequence }) => sequence)
        assert.deepEqual(out, wanted)
      }),
    )
  })
})
