/** Counters whose windows close when a test says so. */
import type {
  CounterEvent,
  CounterEventSource,
  CounterEvents,
  OpenCounters,
  WantedProvider,
} from '../../snapshot-source.ts'

export interface ManualSession {
  readonly wanted: readonly WantedProvider[]
  /** Closes windows; those of a session that is closed go nowhere. */
  tell(events: readonly CounterEvent[], timeMs: number): void
  isOpen: boolean
}

export class ManualCounters implements CounterEventSource {
  readonly sessions: ManualSession[] = []
  /** Sessions at once. */
  limit = Number.POSITIVE_INFINITY

  openEvents(
    wanted: readonly WantedProvider[],
    onEvents: (events: CounterEvents) => void,
  ): OpenCounters | undefined {
    if (this.sessions.filter(({ isOpen }) => isOpen).length >= this.limit) return undefined
    const session: ManualSession = {
      wanted,
      isOpen: true,
      tell(events, timeMs) {
        if (!session.isOpen) return
        onEvents({ timeMs, size: events.length, event: (index) => events[index]! })
      },
    }
    this.sessions.push(session)
    return {
      close() {
        session.isOpen = false
      },
    }
  }
}

export function meanEvent(name: string, mean: number, provider = 'Shop'): CounterEvent {
  const payload = {
    ...{ Name: name, DisplayName: '', Mean: mean, StandardDeviation: 0, Count: 1 },
    ...{ Min: mean, Max: mean, IntervalSec: 1, Series: 'Interval=1000', CounterType: 'Mean' },
    ...{ Metadata: '', DisplayUnits: '' },
  }
  return { provider, payload }
}

export function sumEvent(name: string, increment: number, provider = 'Shop'): CounterEvent {
  const payload = {
    ...{ Name: name, DisplayName: '', DisplayRateTimeScale: '', Increment: increment },
    ...{ IntervalSec: 1, Metadata: '', Series: 'Interval=1000', CounterType: 'Sum' },
    DisplayUnits: '',
  }
  return { provider, payload }
}
