/** One session: what it asked for, and the series that it gets. */
import type {
  Boundary,
  CounterSession,
  SessionRequest,
} from '../../dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import type { Member, Series, SourceEntry } from './members.ts'

/** Match of the counters that a session wants. */
export interface CounterMatch {
  /** Tells whether any counter of a source can be wanted. */
  source(name: string): boolean
  counter(source: string, name: string): boolean
}

/** Request of a session; without `wanted` every counter of every source, those to come too. */
export interface OpenRequest extends Omit<SessionRequest, 'filter'> {
  readonly wanted?: CounterMatch
}

/** Owner of sessions: what all of a registry ask of the place where they are kept. */
export interface SessionOwner {
  close(session: OpenSession): void
  collect(session: OpenSession): void
}

export class OpenSession implements CounterSession {
  readonly request: OpenRequest
  readonly onBoundary: (boundary: Boundary) => unknown
  readonly #owner: SessionOwner
  /** Sources that it wants; none while it has no interval. */
  readonly entries = new Set<SourceEntry>()
  isOpen = true
  /** Begin of its windows; undefined before. */
  openNs: bigint | undefined
  /** Series of `deliver: 'own'`: all that it gets. */
  own: Series | undefined

  constructor(
    request: OpenRequest,
    onBoundary: (boundary: Boundary) => unknown,
    owner: SessionOwner,
  ) {
    this.request = request
    this.onBoundary = onBoundary
    this.#owner = owner
  }

  wantsSource(entry: SourceEntry): boolean {
    const { wanted, intervalMs } = this.request
    return intervalMs > 0 && (wanted === undefined || wanted.source(entry.name))
  }

  wants(member: Member): boolean {
    const { wanted } = this.request
    if (!this.entries.has(member.entry)) return false
    return wanted === undefined || wanted.counter(member.entry.name, member.name)
  }

  /** Lists the windows that it gets of a collection; undefined when none of its series was due. */
  windowsOf(collectionNumber: number): CounterWindow[] | undefined {
    if (this.own !== undefined) {
      return this.own.collectionNumber === collectionNumber ? this.own.closed : undefined
    }
    const due = [...this.entries]
      .flatMap((entry) => [...entry.shared.values()])
      .filter((series) => series.collectionNumber === collectionNumber)
    return due.length === 0 ? undefined : this.#sharedWindows(due)
  }

  /** Lists one interval after the other, each in the order of counter creation. */
  #sharedWindows(due: readonly Series[]): CounterWindow[] {
    const found: { readonly order: number; readonly window: CounterWindow }[] = []
    for (const { closed, closedOf } of due) {
      closed.forEach((window, i) => {
        const member = closedOf[i]!
        if (this.wants(member)) found.push({ order: member.order, window })
      })
    }
    found.sort((a, b) => a.window.seriesMs - b.window.seriesMs || a.order - b.order)
    return found.map(({ window }) => window)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.#owner.close(this)
  }

  /** Closes its windows now, outside of its schedule, and calls back as at a boundary. */
  collect(): void {
    this.#owner.collect(this)
  }
}
