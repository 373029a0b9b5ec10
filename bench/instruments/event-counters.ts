/**
 * Event counters under as many sessions as are told, none of which falls due while it is measured:
 * what a boundary costs is another question.
 */
import { strict as assert } from 'node:assert'
import type { Statistics } from '../../src/dialects/eventcounters/window.ts'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  Histogram,
  IncrementingEventCounter,
} from '../../src/instrument/index.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { INSTRUMENT_COUNT, type Instrument, inOrder, LABELS, VALUES } from './visits.ts'

export const OURS = 'pentameter'
/** Longer than any bench runs; the clock stands still anyway. */
const INTERVAL_MS = 1000

/** @param isApart whether the sessions were opened one after the other, with samples between */
export function writeMetric(sessions: number, passes: number, isApart = false): Instrument {
  const watched = watch(isApart ? 0 : sessions)
  const counters = names('w').map((name) => new EventCounter(name, watched.source))
  for (let i = 0; isApart && i < sessions; i++) {
    watched.open(-INSTRUMENT_COUNT * (sessions - i))
    for (const counter of counters) counter.writeMetric(i)
  }
  const visited = inOrder(counters)
  return {
    title: `${OURS}, writeMetric, ${described(sessions)}${isApart ? ' apart' : ''}`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.writeMetric(VALUES[i]!)
    },
    recorded: () => watched.recorded(),
  }
}

export function increment(sessions: number, passes: number): Instrument {
  const watched = watch(sessions)
  const counters = names('i').map((name) => new IncrementingEventCounter(name, watched.source))
  const visited = inOrder(counters)
  return {
    title: `${OURS}, increment, ${described(sessions)}`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.increment()
    },
    recorded: () => watched.recorded(),
  }
}

/** Bound to its labels, as children of the rival are; cumulative, so sessions cost it nothing. */
export function plainCounters(passes: number): Instrument {
  const watched = watch(1)
  const counter = new Counter('requests', watched.source, { labels: ['route', 'status'] })
  const visited = inOrder(LABELS.map((labels) => counter.with(labels)))
  return {
    title: `${OURS}, Counter.with(labels), add`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.add(1)
    },
    recorded: () => watched.recorded(),
  }
}

/** Cumulative, whoever listens; what sessions are told of each window costs something besides. */
export function plainHistograms(sessions: number, passes: number): Instrument {
  const watched = watch(sessions)
  const histogram = new Histogram('size', watched.source, { labels: ['route', 'status'] })
  const all = LABELS.map((labels) => histogram.with(labels))
  const visited = inOrder(all)
  return {
    title: `${OURS}, Histogram.with(labels), record, ${described(sessions)}`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.record(VALUES[i]!)
    },
    recorded() {
      const count = all.reduce((sum, each) => sum + Number(each.histogram.count), 0)
      if (sessions > 0) assert.equal(watched.recorded(), count, 'sessions were told of all')
      return count
    },
  }
}

/** The least that a counter can do whom nobody may be listening to: look, and return. */
class Checked {
  isWatched = false
  count = 0

  write(value: number): void {
    if (!this.isWatched) return
    this.count += value
  }
}

export function checks(passes: number): Instrument {
  const all = LABELS.map(() => new Checked())
  const visited = inOrder(all)
  return {
    title: 'one check in a call',
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.write(VALUES[i]!)
    },
    recorded: () => all.reduce((sum, { count }) => sum + count, 0),
  }
}

interface Watched {
  readonly source: EventSource
  /** One more session, of which so many updates are counted already. */
  open(count: number): void
  /** Updates that every session was told of at a boundary that is brought about here. */
  recorded(): number
}

function watch(sessions: number): Watched {
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock, limits: { labelSets: INSTRUMENT_COUNT } })
  const source = new EventSource('Bench', { registry })
  const seen: number[] = []
  const open = (count: number): void => {
    const i = seen.push(count) - 1
    registry.open({ intervalMs: INTERVAL_MS, deliver: 'own' }, ({ windows }) => {
      for (const { statistics } of windows) seen[i]! += updatesOf(statistics)
    })
  }
  for (let i = 0; i < sessions; i++) open(0)
  return {
    source,
    open,
    recorded() {
      clock.advance(INTERVAL_MS)
      assert.ok(
        seen.every((count) => count === seen[0]),
        'every session saw the same',
      )
      return seen[0] ?? 0
    },
  }
}

function updatesOf(statistics: Statistics): number {
  return statistics.kind === 'mean' ? statistics.count : statistics.increment
}

function names(prefix: string): string[] {
  return Array.from({ length: INSTRUMENT_COUNT }, (_, i) => `${prefix}${i}`)
}

function described(sessions: number): string {
  if (sessions === 0) return 'nobody listens'
  return sessions === 1 ? '1 session' : `${sessions} sessions`
}
