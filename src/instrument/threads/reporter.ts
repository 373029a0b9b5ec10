/**
 * A thread whose counters another thread serves: every sample goes into this thread's segment of
 * the zone as it is written, so that nothing of it is lost however the thread ends.
 */
import { threadId } from 'node:worker_threads'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import { refusalOf, type Writer, Zone, type ZoneReader } from '../../shm/index.ts'
import { ThreadChannel } from '../../shm/threads/channel.ts'
import { RecordedCounter } from '../recording/recorded-counter.ts'
import type { Membership } from '../sessions/members.ts'
import type { ServedCounter } from '../sessions/served-counter.ts'
import { type CounterMessage, encodeKey } from './counter-key.ts'
import type {
  CounterChange,
  CounterHome,
  HomeRegistry,
  SampleHandle,
  SharedRegistry,
} from './home.ts'

/** Pause between two reports of exemplars, ms; the first is told at once. */
const EXEMPLARS_MS = 1000
/** Metrics whose exemplars are told in one report: as many as a registry has exemplars of. */
const EXEMPLARS_LIMIT = 1000

/** A counter that reports; undo ends it. */
interface Reporting {
  readonly key: Uint8Array
  readonly stop: () => void
}

export class Reporter implements CounterHome {
  readonly zone: Zone
  readonly writer: Writer
  readonly reader: ZoneReader
  readonly #registry: HomeRegistry
  readonly #channel: ThreadChannel<CounterMessage>
  readonly #reporting = new Map<ServedCounter, Reporting>()
  /** Metrics that have exemplars which are not told; undefined where the next is told at once. */
  #marked: Set<number> | undefined

  /** @throws {ZoneFullError} when too many threads have joined */
  constructor(registry: HomeRegistry, shared: SharedRegistry) {
    this.zone = Zone.open(shared.zone)
    this.writer = this.zone.attach()
    this.reader = this.zone.reader()
    this.#registry = registry
    this.#channel = new ThreadChannel<CounterMessage>(shared.channel, this)
    registry.connect({ begin: () => {}, end: () => {} }, refusePolling)
    registry.onCounter((change) => this.#follow(change))
    registry.exemplars.onKept = (metric) => this.#mark(metric)
  }

  /** Ignores what other threads tell: it is for the one that serves. */
  receive(): void {}

  samples(metric: number): SampleHandle | undefined {
    return this.writer.summary(metric)
  }

  present(key: Uint8Array, description: CounterDescription): Membership {
    let isLive = true
    this.#channel.post({ kind: 'described', isNew: true, threadId, key, description })
    return {
      get isLive() {
        return isLive
      },
      remove: () => {
        if (isLive) this.#channel.post({ kind: 'closed', threadId, key })
        isLive = false
      },
    }
  }

  /** Tells an exemplar at once, and further ones together. */
  #mark(metric: number): void {
    if (this.#marked === undefined) this.#tellExemplars([metric])
    else if (this.#marked.size < EXEMPLARS_LIMIT) this.#marked.add(metric)
  }

  #tellExemplars(metrics: Iterable<number>): void {
    const { exemplars, clock } = this.#registry
    const of = [...metrics].map((metric) => [metric, exemplars.of(metric)] as const)
    this.#channel.post({ kind: 'exemplars', of })
    this.#marked = new Set()
    clock.after(EXEMPLARS_MS, () => {
      const marked = this.#marked!
      this.#marked = undefined
      if (marked.size > 0) this.#tellExemplars(marked)
    })
  }

  #follow({ kind, counter }: CounterChange): void {
    if (!(counter instanceof RecordedCounter)) return
    if (kind === 'added') this.#report(counter)
    const reporting = this.#reporting.get(counter)
    if (reporting === undefined) return
    const { key, stop } = reporting
    if (kind === 'removed') {
      stop()
      this.#reporting.delete(counter)
      this.#channel.post({ kind: 'closed', threadId, key })
    } else {
      const { description } = counter
      const isNew = kind === 'added'
      this.#channel.post({ kind: 'described', isNew, threadId, key, description })
    }
  }

  #report(counter: RecordedCounter): void {
    const of = counter.kind === 'sum' ? 'IncrementingEventCounter' : 'EventCounter'
    const { provider, name } = counter.description
    const key = encodeKey({ of, provider, name, labels: [] })
    const metric = this.zone.define(key, 'summary')
    const handle = metric < 0 ? undefined : this.writer.summary(metric)
    if (handle === undefined) {
      const why = refusalOf(metric) ?? 'zone_full'
      this.#registry.report('dropped_counters', `counter "${name}" is not served: ${why}`)
      return
    }
    const take = (values: Float64Array, from: number, to: number): void => {
      for (let i = from; i < to; i++) handle.observe(values[i]!)
    }
    this.#reporting.set(counter, { key, stop: counter.listen({ take }, true) })
  }
}

/**
 * Refuses polling: a callback runs in the thread that made the counter; only this one has the
 * sessions' moments.
 */
function refusePolling(counter: ServedCounter): undefined {
  if (counter instanceof RecordedCounter) return undefined
  const { provider, name } = counter.description
  throw new TypeError(
    `counter "${name}" of source "${provider}": polling counters belong to the thread that ` +
      'serves the sessions',
  )
}
