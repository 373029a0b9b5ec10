/**
 * Sessions for the tools of .NET: each provider that one asks for has its interval as an argument
 * (eventcounters.md §4.1), and windows are spelled as shipped .NET spells them (§3.2).
 */
import type {
  CounterEventSource,
  CounterEvents,
  OpenCounters,
  WantedProvider,
} from '../../snapshot-source.ts'
import type { CounterFilter } from '../codec/filter.ts'
import { parseInterval } from '../codec/interval.ts'
import { toPayload } from '../codec/payload.ts'
import { INTERVAL_ARGUMENT } from '../spec.ts'
import type { Boundary, CounterSource } from './counter-source.ts'

/** Makes the sessions that .NET's tools open on a source of counters. */
export function counterEventsOf(source: CounterSource): CounterEventSource {
  return { openEvents: (wanted, onEvents) => openEvents(source, wanted, onEvents) }
}

/** Opens one session for each interval that is asked for; without one a provider is silent. */
function openEvents(
  source: CounterSource,
  wanted: readonly WantedProvider[],
  onEvents: (events: CounterEvents) => void,
): OpenCounters | undefined {
  const sessions: OpenCounters[] = []
  const close = (): void => {
    for (const session of sessions) session.close()
  }
  for (const [intervalMs, filter] of filtersByInterval(source, wanted)) {
    const session = source.open({ intervalMs, filter, deliver: 'own' }, (boundary) => {
      if (boundary.windows.length > 0) onEvents(eventsOf(boundary))
    })
    if (session === undefined) {
      close()
      return undefined
    }
    sessions.push(session)
  }
  return { close }
}

/** Groups the providers by their intervals; of a repeated one the last counts. */
function filtersByInterval(
  source: CounterSource,
  wanted: readonly WantedProvider[],
): Map<number, CounterFilter> {
  const intervals = new Map<string, number>()
  for (const { name, arguments: args } of wanted) {
    const interval = parseInterval(args.get(INTERVAL_ARGUMENT), 'peer')
    if (interval.kind === 'invalid') source.report?.('invalid_intervals')
    intervals.set(name, interval.kind === 'run' ? interval.intervalMs : 0)
  }
  const groups = Map.groupBy(intervals, ([, intervalMs]) => intervalMs)
  groups.delete(0)
  return new Map(
    [...groups].map(([intervalMs, names]) => [
      intervalMs,
      names.map(([provider]) => ({ provider, counters: [], type: 'All' as const })),
    ]),
  )
}

function eventsOf({ timeMs, windows }: Boundary): CounterEvents {
  return {
    timeMs,
    size: windows.length,
    event(index) {
      const window = windows[index]!
      return { provider: window.counter.provider, payload: toPayload(window, 'peer') }
    },
  }
}
