/** `deliver=all` means the same to an application and to a hub: who gets which series of whom. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from '../../src/dialects/eventcounters/codec/filter.ts'
import { eventCountersOf } from '../../src/dialects/eventcounters/hub/resident.ts'
import type {
  Boundary,
  CounterSource,
  SessionRequest,
} from '../../src/dialects/eventcounters/server/counter-source.ts'
import {
  CounterRegistry,
  EventSource,
  IncrementingEventCounter,
} from '../../src/instrument/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { FakeHubView } from '../support/hub/fake-hub-view.ts'

/** Opens a session. @returns what it gets, ever more of it */
function listen(source: CounterSource, request: Partial<SessionRequest>): readonly Boundary[] {
  const got: Boundary[] = []
  const session = source.open({ intervalMs: 1000, deliver: 'own', ...request }, (boundary) => {
    got.push(boundary)
  })
  assert.ok(session !== undefined)
  return got
}

/** Sessions by what they ask, and what each gets in the end: counters with their intervals. */
const ALL_CASES = [
  { counters: [undefined, undefined], intervals: [1, 2] },
  { counters: ['Source[a]', 'Source[b]'], intervals: [1, 2] },
  { counters: ['Source', 'Other'], intervals: [1, 2] },
  { counters: ['Source[a],Other', 'Source'], intervals: [2, 1] },
  { counters: [undefined, 'Other'], intervals: [2, 1] },
  { counters: ['Source', undefined], intervals: [2, 2] },
] as const

for (const { counters, intervals } of ALL_CASES) {
  const names = counters.map((each, i) => `${each ?? 'everything'} at ${intervals[i]} s`)
  test(`with \`all\` a hub tells what an application does: ${names.join(', ')}`, () => {
    const list = [
      ['Source', 'a'],
      ['Source', 'b'],
      ['Other', 'a'],
    ] as const
    const requests = counters.map((text, i) => ({
      ...{ intervalMs: 1000 * intervals[i]!, deliver: 'all' as const },
      ...(text === undefined ? {} : { filter: parseFilter(text) }),
    }))
    const hub = new FakeHubView()
    for (const [provider, name] of list) {
      hub.add({ name, kind: 'counter', labels: [['provider', provider]] })
    }
    const clock = new FakeClock()
    const registry = new CounterRegistry({ clock })
    const sources = ['Source', 'Other'].map((name) => new EventSource(name, { registry }))
    for (const [provider, name] of list) {
      new IncrementingEventCounter(name, sources.find((each) => each.name === provider)!)
    }
    const own = { intervalMs: 3000 }
    const inHub = [...requests, own].map((request) => listen(eventCountersOf(hub)!, request))
    const inApplication = [...requests, own].map((request) => listen(registry, request))
    hub.tick() // where grids begin
    for (let second = 0; second < 6; second++) {
      hub.tick()
      clock.advance(1000)
    }
    assert.deepEqual(inHub.map(countersIn), inApplication.map(countersIn))
  })
}

function countersIn(got: readonly Boundary[]): readonly string[] {
  return got
    .flatMap(({ windows }) => windows)
    .map(({ counter, seriesMs }) => `${counter.provider}[${counter.name}] ${seriesMs}`)
}
