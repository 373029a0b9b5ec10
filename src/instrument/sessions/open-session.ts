/** One session: what it asked for, and the series that it gets. */
import { matchesCounter, matchesProvider } from '../../dialects/eventcounters/codec/filter.ts'
import type {
  Boundary,
  CounterSession,
  SessionRequest,
} from '../../dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import type { Member } from './members.ts'
import type { Series } from './series.ts'
import type { SourceEntry } from './source-entry.ts'

export interface LiveSession extends CounterSession {
  /** False once closed, also by an error of its listener. */
  readonly isOpen: boolean
}

export class OpenSession implements LiveSession {
  readonly request: SessionRequest
  readonly onBoundary: (boundary: Boundary) => unknown
  readonly #onClose: (session: OpenSession) => void
  /** Those that it wants; none while it has no interval. */
  readonly entries = new Set<SourceEntry>()
  isOpen = true
  /** Undefined until its windows begin. */
  openNs: bigint | undefined
  /** Of `deliver: 'own'`: all that it gets. */
  own: Series | undefined

  constructor(
    request: SessionRequest,
    onBoundary: (boundary: Boundary) => unknown,
    onClose: (session: OpenSession) => void,
  ) {
    this.request = request
    this.onBoundary = onBoundary
    this.#onClose = onClose
  }

  wantsSource(entry: SourceEntry): boolean {
    const { filter, intervalMs } = this.request
    if (intervalMs === 0) return false
    return matchesProvider(filter, entry.source.name)
  }

  wants(member: Member): boolean {
    const { filter } = this.request
    if (!this.entries.has(member.entry)) return false
    return matchesCounter(filter, member.entry.source.name, member.name)
  }

  /** The windows that it gets of a pass; undefined when none of its series was due. */
  windowsOf(passNumber: number): CounterWindow[] | undefined {
    if (this.own !== undefined) {
      return this.own.passNumber === passNumber ? this.own.closed : undefined
    }
    const due = [...this.entries]
      .flatMap((entry) => [...entry.shared.values()])
      .filter((series) => series.passNumber === passNumber)
    return due.length === 0 ? undefined : this.#sharedWindows(due)
  }

  /** One interval after the other, each in the order of counter creation. */
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
    this.#onClose(this)
  }
}
