/**
 * A provider that is both an event source and a meter, as System.Runtime from .NET 9 on: as
 * dotnet-counters does, its instruments are shown and its counters are not (nettrace.md §9). So
 * counters wait for a second, in which instruments of that name may begin.
 */
import type { Clock } from '../../../time/clock.ts'
import type { FeedWindow } from '../../command-line.ts'

const WAIT_MS = 1000
/** Windows of one provider that wait; further ones are left out. */
const WAITING_LIMIT = 10_000

interface Provider {
  hasMeter: boolean
  /** Windows that wait; undefined once they may pass. */
  waiting: FeedWindow[] | undefined
  cancel: () => void
}

export class MeterPreference {
  readonly #clock: Clock
  readonly #give: (window: FeedWindow) => void
  readonly #providers = new Map<string, Provider>()
  #leftOut = 0

  /** @param give takes the windows that are shown */
  constructor(clock: Clock, give: (window: FeedWindow) => void) {
    this.#clock = clock
    this.#give = give
  }

  /** Number of windows that found too many waiting. */
  get leftOut(): number {
    return this.#leftOut
  }

  /** Takes note of a meter that has an instrument. */
  addMeter(name: string): void {
    const provider = this.#providers.get(name)
    if (provider === undefined) {
      this.#providers.set(name, { hasMeter: true, waiting: undefined, cancel: () => {} })
      return
    }
    provider.hasMeter = true
    provider.waiting = undefined
    provider.cancel()
  }

  /** Takes a window of an event source's counter. */
  take(window: FeedWindow): void {
    const { provider: name } = window.counter
    const provider = this.#providers.get(name) ?? this.#addSource(name)
    if (provider.hasMeter) return
    if (provider.waiting === undefined) this.#give(window)
    else if (provider.waiting.length < WAITING_LIMIT) provider.waiting.push(window)
    else this.#leftOut++
  }

  /** Lets pass what waits. */
  end(): void {
    for (const provider of this.#providers.values()) this.#pass(provider)
  }

  #addSource(name: string): Provider {
    const provider: Provider = { hasMeter: false, waiting: [], cancel: () => {} }
    provider.cancel = this.#clock.after(WAIT_MS, () => this.#pass(provider))
    this.#providers.set(name, provider)
    return provider
  }

  #pass(provider: Provider): void {
    const { waiting } = provider
    provider.cancel()
    provider.waiting = undefined
    for (const window of waiting ?? []) this.#give(window)
  }
}
