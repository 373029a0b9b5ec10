/** An event source as the sessions hold it: its counters, and whether anybody wants it. */
import type { EventSource } from '../event-source.ts'
import { errorText, ignoreRejection } from '../recording/failures.ts'
import type { Member, Membership } from './members.ts'
import type { Report } from './report.ts'
import type { Series } from './series.ts'

export interface SourceCallbacks {
  /** What they return is ignored, also a promise that is rejected. */
  onEnable(): unknown
  onDisable(): unknown
}

export interface SourceMembership extends Membership {
  readonly isEnabled: boolean
}

export class SourceEntry {
  readonly source: EventSource
  readonly members = new Set<Member>()
  /** Series of `deliver: 'all'`, by interval in milliseconds. */
  readonly shared = new Map<number, Series>()
  isLive = true
  isEnabled = false
  readonly #callbacks: SourceCallbacks
  readonly #report: Report
  #wanted = 0

  constructor(source: EventSource, callbacks: SourceCallbacks, report: Report) {
    this.source = source
    this.#callbacks = callbacks
    this.#report = report
  }

  /** Counts the sessions that want this source; settle() tells it. */
  want(): void {
    this.#wanted++
  }

  unwant(): void {
    this.#wanted--
  }

  /** Tells the source whether it is wanted, if that has changed. */
  settle(): void {
    const isWanted = this.isLive && this.#wanted > 0
    if (isWanted === this.isEnabled) return
    this.isEnabled = isWanted
    const name = isWanted ? 'onEnable' : 'onDisable'
    const fail = (error: unknown) => {
      this.#report(
        'callback_errors',
        `${name} of source "${this.source.name}": ${errorText(error)}`,
      )
    }
    try {
      ignoreRejection(this.#callbacks[name](), fail)
    } catch (error) {
      fail(error)
    }
  }
}
