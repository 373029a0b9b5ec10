/**
 * The thread that serves the sessions, and what all threads record in its zone. Counters that are
 * new in the zone are found at a collection and put into the sessions; what was observed since the
 * last one is taken out of the zone and added to every open window (eventcounters.md §4.4). A
 * counter that exists in this thread, too, gets what the others observed; one that does not is
 * stood in for.
 */
import { threadId } from 'node:worker_threads'
import { sayableValue } from '../../dialects/eventcounters/codec/metadata.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import { type Exact, Histogram } from '../../model/index.ts'
import { type SummaryReading, type Writer, Zone, type ZoneReader } from '../../shm/index.ts'
import { ThreadChannel } from '../../shm/threads/channel.ts'
import { RecordedCounter } from '../recording/recorded-counter.ts'
import type { Membership } from '../sessions/members.ts'
import type { ServedCounter } from '../sessions/served-counter.ts'
import { type CounterKey, type CounterMessage, decodeKey, encodeKey } from './counter-key.ts'
import type {
  CounterChange,
  CounterHome,
  HomeRegistry,
  SampleHandle,
  SharedRegistry,
} from './home.ts'
import { readFractions, TotalCounter, ValueCounter } from './zone-counters.ts'

/** A metric of the zone that a thread has made. */
class Found {
  readonly metric: number
  readonly key: CounterKey
  description: CounterDescription
  /** Threads that have it, with how many counters each. */
  readonly holders = new Map<number, number>()
  /** Counter that gets what was observed, of the two that threads share. */
  target: RecordedCounter | undefined
  /** Membership of the stand-in, where this thread has no counter of its own. */
  standIn: Membership | undefined
  /** Every thread that had it has closed it. */
  isGone = false
  /** Total of a counter, or of a histogram, that belongs to no session that is open now. */
  baseline: Exact = 0n
  histogram: Histogram | undefined

  constructor(metric: number, key: CounterKey) {
    const { provider, name, labels } = key
    this.metric = metric
    this.key = key
    const texts = { displayName: '', units: '', rateScaleSec: 0 }
    const metaData = labels.map(([label, value]) => [label, sayableValue(value)] as const)
    this.description = { provider, name, ...texts, metaData, hasTags: true }
  }

  get isServed(): boolean {
    return this.standIn?.isLive === true
  }
}

export class Collector implements CounterHome {
  readonly zone: Zone
  readonly writer: Writer
  readonly reader: ZoneReader
  readonly #registry: HomeRegistry
  readonly #found = new Map<number, Found>()
  /** Counters that threads share, by kind, source and name. */
  readonly #byIdentity = new Map<string, Found>()
  /** Numbers of the zone below it have been looked at. */
  #known = 0
  readonly #standIns = new WeakSet<RecordedCounter>()
  #isListening = false
  #channel: ThreadChannel<CounterMessage> | undefined
  #channelName = ''

  constructor(registry: HomeRegistry) {
    this.zone = Zone.create(registry.zoneOptions)
    this.writer = this.zone.attach()
    this.reader = this.zone.reader()
    this.#registry = registry
    registry.onCollection(() => this.#collect())
    registry.onCounter((change) => this.#forget(change))
    registry.connect({ begin: () => this.#begin(), end: () => this.#end() }, (counter) =>
      this.#adopt(counter),
    )
  }

  share(): SharedRegistry {
    if (this.#channel === undefined) {
      // loaded when there are threads: most programs have none
      const { randomUUID } = process.getBuiltinModule('node:crypto')
      this.#channelName = `pentameter:counters:${randomUUID()}`
      this.#channel = new ThreadChannel<CounterMessage>(this.#channelName, this)
    }
    return { zone: this.zone.shared, channel: this.#channelName }
  }

  present(key: Uint8Array, description: CounterDescription): Membership {
    const found = this.#describe(key, description)
    if (found === undefined) return { isLive: false, remove: () => {} }
    this.#hold(found, threadId)
    let isHeld = true
    return {
      get isLive() {
        return isHeld && found.isServed
      },
      remove: () => {
        if (isHeld) this.#release(found, threadId)
        isHeld = false
      },
    }
  }

  /** Gives the handle of samples, past the zone: this thread serves the sessions itself. */
  samples(metric: number): SampleHandle | undefined {
    return this.#found.get(metric)?.target ?? this.writer.summary(metric)
  }

  receive(message: CounterMessage): void {
    if (message.kind === 'described') {
      const described = this.#describe(message.key, message.description)
      if (described !== undefined && message.isNew) this.#hold(described, message.threadId)
      return
    }
    if (message.kind === 'exemplars') {
      const { exemplars } = this.#registry
      for (const [metric, kept] of message.of) exemplars.addAll(metric, kept)
      return
    }
    const found = this.#found.get(this.zone.find(message.key))
    if (found !== undefined) this.#release(found, message.threadId)
  }

  #describe(key: Uint8Array, description: CounterDescription): Found | undefined {
    const metric = this.zone.find(key)
    if (metric === -1) return undefined
    const found = this.#found.get(metric) ?? this.#find(metric)
    if (found === undefined) return undefined
    found.description = description
    return found
  }

  #hold(found: Found, thread: number): void {
    found.holders.set(thread, (found.holders.get(thread) ?? 0) + 1)
    found.isGone = false
    this.#serve(found)
  }

  /**
   * Releases a counter. When no thread has it any more, it leaves the sessions; what it holds stays
   * in the zone.
   */
  #release(found: Found, thread: number): void {
    const count = (found.holders.get(thread) ?? 1) - 1
    if (count > 0) found.holders.set(thread, count)
    else found.holders.delete(thread)
    if (found.holders.size > 0) return
    found.isGone = true
    this.#rest(found)
    found.standIn?.remove()
    found.standIn = undefined
    found.target = undefined
  }

  /** Begins, before the first windows do; what was left in the zone belongs to none. */
  #begin(): void {
    if (!this.#isListening) this.#isListening = this.reader.listen(true)
    this.#collect()
    for (const found of this.#found.values()) if (found.isGone) this.#rest(found)
  }

  /** Lets what is served no more count from here on, should a thread make it anew. */
  #rest(found: Found): void {
    const { metric, key } = found
    if (key.of === 'Counter') found.baseline = this.reader.counter(metric)
    if (key.of === 'FractionalCounter') found.baseline = readFractions(this.reader, metric)
    if (key.of === 'HistogramWindows') found.histogram = this.#readHistogram(key)
  }

  #readHistogram(key: CounterKey): Histogram {
    return this.reader.exponential(this.zone.find(encodeKey({ ...key, of: 'Histogram' })))
  }

  #end(): void {
    this.#isListening = !this.reader.listen(false)
  }

  #collect(): void {
    this.#channel?.drain()
    for (const count = this.zone.metrics; this.#known < count; this.#known++) {
      if (!this.#found.has(this.#known)) this.#findHeld(this.#known)
    }
    this.reader.takeSummaries(this.#absorb)
  }

  /** Finds a counter that is held; its thread may have ended before it could describe it. */
  #findHeld(metric: number): void {
    const found = this.#find(metric)
    if (found !== undefined) this.#serve(found)
  }

  #find(metric: number): Found | undefined {
    const key = this.zone.has(metric) ? decodeKey(this.zone.key(metric)) : undefined
    if (key === undefined) return undefined
    const found = new Found(metric, key)
    this.#found.set(metric, found)
    if (isShared(key)) this.#byIdentity.set(identityOf(key), found)
    return found
  }

  readonly #absorb = (metric: number, reading: SummaryReading): void => {
    const found = this.#found.get(metric)
    if (found === undefined || found.isGone) return
    const target = found.target ?? this.#serve(found)
    target?.absorb(target.kind === 'sum' ? reading.sum : { ...reading })
  }

  /** Puts a counter into the sessions, unless one of this thread is there for it. */
  #serve(found: Found): RecordedCounter | undefined {
    if (found.target !== undefined || found.isServed) return found.target
    const { key } = found
    if (key.of === 'Histogram') return undefined
    found.target = this.#own(key)
    if (found.target !== undefined) return found.target
    const counter = this.#counterOf(found)
    if (counter instanceof RecordedCounter) this.#standIns.add(counter)
    found.standIn = this.#registry.addStandIn(key.provider, counter)
    if (counter instanceof RecordedCounter) found.target = counter
    if (!(counter instanceof ValueCounter)) counter.settle()
    return found.target
  }

  #own(key: CounterKey): RecordedCounter | undefined {
    if (!isShared(key)) return undefined
    const counter = this.#registry.findCounter(key.provider, key.name)
    if (!(counter instanceof RecordedCounter) || this.#standIns.has(counter)) return undefined
    return counter.kind === kindOf(key) ? counter : undefined
  }

  #counterOf(found: Found): TotalCounter | ValueCounter | RecordedCounter {
    const { metric, key } = found
    const describe = () => found.description
    const { labels } = key
    const readExemplars = () => this.#registry.exemplars.of(metric)
    const reading = { reader: this.reader, metric, describe, labels, readExemplars }
    const isFractional = key.of === 'FractionalCounter'
    if (key.of === 'Counter' || isFractional) {
      return new TotalCounter(reading, found.baseline, isFractional)
    }
    if (key.of === 'Gauge') return new ValueCounter(reading)
    const onRefused = () => {}
    if (isShared(key)) return new RecordedCounter({ kind: kindOf(key), describe, onRefused })
    const buckets = this.zone.find(encodeKey({ ...key, of: 'Histogram' }))
    const readHistogram = () => this.reader.exponential(buckets)
    const baseline = found.histogram ?? new Histogram()
    const options = { describe, onRefused, labels, readHistogram, readExemplars, baseline }
    return new RecordedCounter({ kind: 'mean', ...options })
  }

  /** Puts a counter of this thread in the place of the one that stood in for it. */
  #adopt(counter: ServedCounter): Membership | undefined {
    if (!(counter instanceof RecordedCounter) || this.#standIns.has(counter)) return undefined
    const found = this.#byIdentity.get(identityOfCounter(counter))
    if (found?.target === undefined || !found.isServed) return undefined
    const standIn = found.standIn!
    counter.inherit(found.target)
    found.target = counter
    this.#hold(found, threadId)
    return {
      get isLive() {
        return standIn.isLive
      },
      remove: () => {
        if (!standIn.isLive) return
        standIn.remove()
        found.standIn = undefined
        found.target = undefined
        this.#release(found, threadId)
      },
    }
  }

  /**
   * Forgets a counter of this thread; for those that go on in other threads there is a stand-in.
   */
  #forget({ kind, counter }: CounterChange): void {
    if (kind !== 'removed' || !(counter instanceof RecordedCounter)) return
    const found = this.#byIdentity.get(identityOfCounter(counter))
    if (found?.target === counter) found.target = undefined
  }
}

/**
 * Tells whether this thread may have the counter, too; plain instruments are in the zone anyhow.
 */
function isShared({ of }: CounterKey): boolean {
  return of === 'EventCounter' || of === 'IncrementingEventCounter'
}

function kindOf({ of }: CounterKey): 'mean' | 'sum' {
  return of === 'IncrementingEventCounter' ? 'sum' : 'mean'
}

function identityOf(key: CounterKey): string {
  return identity(kindOf(key), key.provider, key.name)
}

function identityOfCounter({ kind, description }: RecordedCounter): string {
  return identity(kind, description.provider, description.name)
}

function identity(kind: 'mean' | 'sum', provider: string, name: string): string {
  return `${kind}\0${provider.toLowerCase()}\0${name}`
}
