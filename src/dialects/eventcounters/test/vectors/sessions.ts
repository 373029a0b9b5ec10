/**
 * Vectors of EventCounters that need counters: sequences of one counter, sessions side by side,
 * moments of polls. Played on a clock that stands still, through the instrument library.
 */
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { near, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import {
  CounterRegistry,
  EventCounter,
  EventSource,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from '../../../../instrument/index.ts'
import type { Profile } from '../../../decoder.ts'
import { readLine } from '../../codec/read.ts'
import { type CounterEvent, openEventSession } from '../../server/event-session.ts'
import { fieldsOf, jsonOf, PROFILES, samePayload, TOLERANCE } from './texts.ts'

interface CounterInput {
  readonly kind:
    | 'EventCounter'
    | 'PollingCounter'
    | 'IncrementingEventCounter'
    | 'IncrementingPollingCounter'
  readonly name: string
  readonly displayName?: string
  readonly displayUnits?: string
  readonly displayRateTimeScaleSec?: number
  readonly metaData?: readonly (readonly [string, string | null])[]
}

/** Fields by operation; numbers may be the texts of those that JSON does not have. */
interface Step {
  readonly op: string
  readonly intervalSec?: number
  readonly values?: readonly (number | string | null)[]
  readonly value?: number | string
  readonly afterSec?: number
  readonly callback?: number | string
  readonly elapsedSec?: number
  readonly expect?: Readonly<Record<string, unknown>>
}

export function checkSequence(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const counter = input.counter as CounterInput
  const steps = expect.steps as readonly Step[]
  for (const profile of PROFILES) new Sequence(counter, steps, profile).play()
  for (const { expect: expected } of steps) {
    if (expected?.shipped !== undefined) checkShipped(expected.shipped)
  }
}

/** What .NET sends is read, whatever we would have sent. */
function checkShipped(payload: unknown): void {
  same('shipped is read', readLine(jsonOf(payload as object)).kind, 'window')
}

const registryLog = { log: () => {} }

class Sequence {
  readonly #input: CounterInput
  readonly #steps: readonly Step[]
  readonly #profile: Profile
  readonly #clock = new FakeClock()
  readonly #registry: CounterRegistry
  readonly #source: EventSource
  readonly #events: CounterEvent[] = []
  #counter: AnyCounter | undefined
  #callback: () => number = () => 0
  /** Of the interval that goes on. */
  #passedMs = 0

  constructor(input: CounterInput, steps: readonly Step[], profile: Profile) {
    this.#input = input
    this.#steps = steps
    this.#profile = profile
    this.#registry = new CounterRegistry({ clock: this.#clock, profile, ...registryLog })
    this.#source = new EventSource('App', { registry: this.#registry })
    if (steps.every(({ op }) => op !== 'createCounter')) this.#create()
  }

  play(): void {
    for (const [i, step] of this.#steps.entries()) this.#do(step, `step ${i}, ${this.#profile}`)
  }

  #do(step: Step, what: string): void {
    const values = step.values ?? []
    if (step.op === 'openSession') this.#open(step.intervalSec!)
    else if (step.op === 'createCounter') this.#createLate(step)
    else if (step.op === 'writeMetric') for (const value of values) this.#write(Number(value))
    else if (step.op === 'increment') for (const value of values) this.#increment(value)
    else if (step.op === 'callbackReturns') this.#callback = () => Number(step.value)
    else if (step.op === 'callbackThrows') this.#callback = fail
    else if (step.op === 'boundary') this.#boundary(step, what)
    else throw new TypeError(`no operation ${step.op}`)
  }

  #create(): void {
    this.#counter = createCounter(this.#input, this.#source, () => this.#callback())
  }

  #createLate({ afterSec = 0, callback }: Step): void {
    this.#pass(afterSec)
    if (callback !== undefined) this.#callback = () => Number(callback)
    this.#create()
  }

  #pass(seconds: number): void {
    this.#clock.stall(seconds * 1000)
    this.#passedMs += seconds * 1000
  }

  #open(intervalSec: number): void {
    const args = { EventCounterIntervalSec: `${intervalSec}`, profile: this.#profile }
    openEventSession(this.#registry, args, (event) => this.#events.push(event))
    const lateSec = latenessOf(this.#steps, intervalSec)
    if (lateSec > 0) this.#clock.stall((intervalSec + lateSec) * 1000)
    this.#events.length = 0
  }

  #boundary({ elapsedSec, expect }: Step, what: string): void {
    this.#clock.stall(elapsedSec! * 1000 - this.#passedMs)
    this.#passedMs = 0
    const expected = expect![this.#profile]
    same(`${what}: payloads`, this.#events.length, expected === null ? 0 : 1)
    for (const { Payload } of this.#events) samePayload(what, Payload, expected)
    this.#events.length = 0
  }

  #write(value: number): void {
    if (!(this.#counter instanceof EventCounter)) throw new TypeError('no EventCounter')
    this.#counter.writeMetric(value)
  }

  #increment(by: number | string | null): void {
    if (!(this.#counter instanceof IncrementingEventCounter)) throw new TypeError('no increment')
    if (by === null) this.#counter.increment()
    else this.#counter.increment(Number(by))
  }
}

function fail(): never {
  throw new Error('a callback that fails')
}

/**
 * Boundaries lie on the grid or after it: for one that ends an interval shorter than the nominal
 * one, the boundary before it must have been late. So late a first one, which nobody looks at,
 * makes all of them possible; 0 where none is needed.
 */
function latenessOf(steps: readonly Step[], intervalSec: number): number {
  const lengths = steps.flatMap(({ elapsedSec }) => (elapsedSec === undefined ? [] : [elapsedSec]))
  const ends = lengths.map((_, i) => sum(lengths.slice(0, i + 1)))
  const candidates = [0, ...ends.map((end) => roundToNs((intervalSec - (end % intervalSec)) % 1))]
  const found = candidates.find((late) => {
    let grid = 0
    return ends.every((end) => {
      const before = grid
      grid = Math.floor(roundToNs(late + end) / intervalSec)
      return grid > before
    })
  })
  if (found === undefined) throw new TypeError(`no grid has the intervals ${lengths}`)
  return found
}

function sum(values: readonly number[]): number {
  return roundToNs(values.reduce((total, value) => total + value, 0))
}

function roundToNs(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9
}

type AnyCounter =
  | EventCounter
  | PollingCounter
  | IncrementingEventCounter
  | IncrementingPollingCounter

function createCounter(
  input: CounterInput,
  source: EventSource,
  callback: () => number,
): AnyCounter {
  const { name, displayName, displayUnits, displayRateTimeScaleSec } = input
  const texts = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(displayUnits === undefined ? {} : { displayUnits }),
  }
  const scale =
    displayRateTimeScaleSec === undefined ? {} : { displayRateTimeScale: displayRateTimeScaleSec }
  const counter = {
    EventCounter: () => new EventCounter(name, source, texts),
    PollingCounter: () => new PollingCounter(name, source, callback, texts),
    IncrementingEventCounter: () => {
      return new IncrementingEventCounter(name, source, { ...texts, ...scale })
    },
    IncrementingPollingCounter: () => {
      return new IncrementingPollingCounter(name, source, callback, { ...texts, ...scale })
    },
  }[input.kind]()
  for (const [key, value] of input.metaData ?? []) addPair(counter, key, value)
  return counter
}

/** A pair that the profile refuses leaves the others as they are. */
function addPair(counter: AnyCounter, key: string, value: string | null): void {
  try {
    counter.addMetaData(key, value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

interface TimelineStep {
  readonly atSec: number
  readonly op: 'open' | 'close' | 'set'
  readonly session: string
  readonly arg?: string
}

interface Span {
  readonly fromSec: number
  readonly toSec: number
}

/** A registry whose time is moved from moment to moment; sessions by their names. */
class Timeline {
  readonly clock = new FakeClock()
  readonly registry = new CounterRegistry({ clock: this.clock, ...registryLog })
  readonly source = new EventSource('App', { registry: this.registry })
  readonly #arguments: { readonly profile?: Profile; readonly deliver?: 'own' | 'all' }
  readonly #stall: Span | undefined
  readonly #sessions = new Map<string, ReturnType<typeof openEventSession>>()
  readonly #listen: (session: string, event: CounterEvent) => void

  constructor(
    input: Readonly<Record<string, unknown>>,
    listen: (session: string, event: CounterEvent) => void = () => {},
  ) {
    this.#arguments = {
      ...(input.profile === undefined ? {} : { profile: input.profile as Profile }),
      ...(input.deliver === undefined ? {} : { deliver: input.deliver as 'own' | 'all' }),
    }
    this.#stall = input.stall as Span | undefined
    this.#listen = listen
  }

  get nowSec(): number {
    return (this.clock.wallMs() - this.clock.startMs) / 1000
  }

  /** Everything in the order of its time; boundaries of a moment come before what else is done. */
  play(actions: readonly (readonly [atSec: number, action: () => void])[], untilSec: number): void {
    const ends: (readonly [number, () => void])[] = [[untilSec, () => this.closeAll()]]
    if (this.#stall !== undefined) ends.push([this.#stall.toSec, () => {}])
    const inOrder = [...actions, ...ends].toSorted(([a], [b]) => a - b)
    for (const [atSec, action] of inOrder.filter(([at]) => at <= untilSec)) {
      this.#moveTo(atSec)
      action()
    }
    same('timers left', this.clock.pending, 0)
  }

  /** The end of a stall is a moment of its own: none lies between the two sides of it. */
  #moveTo(atSec: number): void {
    const { fromSec, toSec } = this.#stall ?? { fromSec: Infinity, toSec: Infinity }
    const isStalled = atSec > fromSec && atSec <= toSec
    if (isStalled && this.nowSec < fromSec) this.clock.advance((fromSec - this.nowSec) * 1000)
    const restMs = (atSec - this.nowSec) * 1000
    if (!isStalled) this.clock.advance(restMs)
    else if (atSec < toSec) this.clock.pass(restMs)
    else this.clock.stall(restMs)
  }

  do({ op, session, arg }: TimelineStep): void {
    const args = { EventCounterIntervalSec: arg }
    if (op === 'close') {
      this.#sessions.get(session)?.close()
      this.#sessions.delete(session)
    } else if (op === 'set') this.#sessions.get(session)!.set(args)
    else {
      this.#sessions.get(session)?.close()
      const listener = (event: CounterEvent): void => this.#listen(session, event)
      const opened = openEventSession(this.registry, { ...this.#arguments, ...args }, listener)
      this.#sessions.set(session, opened)
    }
  }

  closeAll(): void {
    for (const session of this.#sessions.values()) session?.close()
  }
}

function actionsOf(timeline: Timeline, input: Readonly<Record<string, unknown>>) {
  return (input.timeline as TimelineStep[]).map((step) => {
    return [step.atSec, () => timeline.do(step)] as const
  })
}

/** What one session gets of one series at one boundary. */
type Delivery = Readonly<Record<string, unknown>> & {
  readonly atSec: number
  readonly Series: string
}

const WRITTEN = [1, 2, 3, 4]

export function checkSession(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const expected = expect.payloads as Readonly<Record<string, readonly Delivery[]>>
  const found = new Map<string, Map<string, Record<string, unknown>>>()
  const timeline = new Timeline(input, (session, { Payload }) => {
    const atSec = roundToNs(timeline.nowSec)
    const { Name, Series, IntervalSec } = Payload
    const ofSession = found.get(session) ?? new Map<string, Record<string, unknown>>()
    const key = `${atSec} ${Series}`
    const delivery = ofSession.get(key) ?? { atSec, Series, IntervalSec }
    same(`${session} at ${atSec}: one length for all`, delivery.IntervalSec, IntervalSec)
    same(`${session} at ${atSec}: ${Name} comes once`, delivery[`${Name}`], undefined)
    delivery[`${Name}`] = Payload
    found.set(session, ofSession.set(key, delivery))
  })
  const untilSec = input.untilSec as number
  timeline.play([...actionsOf(timeline, input), ...writes(timeline, input, untilSec)], untilSec)
  for (const [session, list] of Object.entries(expected)) {
    const deliveries = [...(found.get(session)?.values() ?? [])] as Delivery[]
    same(`${session}: payloads`, titles(deliveries), titles(list))
    const inOrder = ordered(deliveries)
    for (const [i, each] of ordered(list).entries()) sameDelivery(session, inOrder[i]!, each)
  }
  same(
    'sessions',
    [...found.keys()].filter((name) => expected[name] === undefined),
    [],
  )
}

function writes(
  { source }: Timeline,
  input: Readonly<Record<string, unknown>>,
  untilSec: number,
): (readonly [number, () => void])[] {
  const { everySec, firstAtSec } = input.writes as { everySec: number; firstAtSec: number }
  const c = new EventCounter('c', source)
  const n = new IncrementingEventCounter('n', source)
  const count = Math.max(0, Math.floor((untilSec - firstAtSec) / everySec) + 1)
  return Array.from({ length: count }, (_, k) => {
    const write = (): void => {
      c.writeMetric(WRITTEN[k % WRITTEN.length]!)
      n.increment()
    }
    return [roundToNs(firstAtSec + k * everySec), write]
  })
}

/** By time; series of one moment in any order. */
function ordered(deliveries: readonly Delivery[]): readonly Delivery[] {
  return deliveries.toSorted((a, b) => a.atSec - b.atSec || (a.Series < b.Series ? -1 : 1))
}

function titles(deliveries: readonly Delivery[]): string[] {
  return ordered(deliveries).map(({ atSec, Series }) => `${atSec} ${Series}`)
}

/** Exactly, but for the mean and the length. */
function sameDelivery(session: string, found: Delivery, expected: Delivery): void {
  const what = `${session} at ${expected.atSec}`
  near(`${what}: length`, found.IntervalSec, expected.IntervalSec, TOLERANCE)
  for (const name of ['c', 'n']) {
    const payload = (found[name] ?? {}) as Readonly<Record<string, unknown>>
    for (const [field, value] of Object.entries((expected[name] ?? {}) as object)) {
      const check = field === 'Mean' ? near : same
      check(`${what}: ${name}.${field}`, payload[field], value, TOLERANCE)
    }
  }
}

export function checkPollTimes(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const timeline = new Timeline(input)
  const callsAtSec: number[] = []
  createCounter(input.counter as CounterInput, timeline.source, () => {
    callsAtSec.push(roundToNs(timeline.nowSec))
    return 1
  })
  timeline.play(actionsOf(timeline, input), input.untilSec as number)
  same('calls', callsAtSec, expect.callsAtSec)
}
