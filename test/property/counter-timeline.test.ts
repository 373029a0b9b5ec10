/** Random timelines against a model that knows nothing but section 4 and keeps every sample. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CounterWindow, Statistics } from '../../src/dialects/eventcounters/window.ts'
import { EventCounter, IncrementingEventCounter } from '../../src/instrument/index.ts'
import { TestRegistry } from '../support/counter-sessions.ts'
import { holds } from '../support/property.ts'

type Op =
  | { readonly op: 'open'; readonly intervalMs: number }
  | { readonly op: 'close'; readonly which: number }
  | { readonly op: 'dispose'; readonly which: number }
  | { readonly op: 'create'; readonly kind: Kind }
  | { readonly op: 'write'; readonly which: number; readonly value: number }
  | { readonly op: 'advance' | 'stall'; readonly ms: number }
type Kind = 'mean' | 'sum'

interface Expected {
  readonly atMs: number
  readonly name: string
  readonly kind: Kind
  readonly spanMs: number
  readonly samples: readonly number[]
}

/** A session by itself: the moments of its boundaries, and all samples since the last one. */
class ModelSession {
  readonly payloads: Expected[] = []
  readonly #intervalMs: number
  readonly #counters = new Map<string, { kind: Kind; sinceMs: number; samples: number[] }>()
  readonly #openMs: number
  #lastMs: number
  #deadlineMs: number

  constructor(openMs: number, intervalMs: number) {
    this.#openMs = openMs
    this.#lastMs = openMs
    this.#intervalMs = intervalMs
    this.#deadlineMs = openMs + intervalMs
  }

  add(name: string, kind: Kind, nowMs: number): void {
    this.#counters.set(name, { kind, sinceMs: nowMs, samples: [] })
  }

  remove(name: string): void {
    this.#counters.delete(name)
  }

  write(name: string, value: number): void {
    this.#counters.get(name)?.samples.push(value)
  }

  /** Time passes with a scheduler that runs. */
  advance(toMs: number): void {
    while (this.#deadlineMs <= toMs) this.#boundary(this.#deadlineMs)
  }

  /** Time passes without one. */
  stall(toMs: number): void {
    if (this.#deadlineMs <= toMs) this.#boundary(toMs)
  }

  #boundary(atMs: number): void {
    for (const [name, counter] of this.#counters) {
      const { kind, sinceMs, samples } = counter
      // A counter made in the very moment of a boundary has nothing to tell yet.
      if (sinceMs === atMs) continue
      const spanMs = atMs - (kind === 'mean' ? this.#lastMs : sinceMs)
      this.payloads.push({ atMs, name, kind, spanMs, samples })
      counter.sinceMs = atMs
      counter.samples = []
    }
    this.#lastMs = atMs
    while (this.#deadlineMs <= atMs) this.#deadlineMs += this.#intervalMs
    assert.equal((this.#deadlineMs - this.#openMs) % this.#intervalMs, 0)
  }
}

const which = fc.nat()
const intervalMs = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 100, max: 5000 }))
const value = fc.integer({ min: -1_000_000, max: 1_000_000 })
const ms = fc.oneof(fc.nat(20), fc.nat(3000))
const op = (name: Op['op']) => fc.constant(name)
const ops = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ op: op('open'), intervalMs }) },
    { weight: 1, arbitrary: fc.record({ op: op('close'), which }) },
    { weight: 1, arbitrary: fc.record({ op: op('dispose'), which }) },
    {
      weight: 2,
      arbitrary: fc.record({ op: op('create'), kind: fc.constantFrom('mean', 'sum') }),
    },
    { weight: 10, arbitrary: fc.record({ op: op('write'), which, value }) },
    { weight: 5, arbitrary: fc.record({ op: op('advance'), ms }) },
    { weight: 1, arbitrary: fc.record({ op: op('stall'), ms }) },
  ),
  { maxLength: 120, size: 'max' },
) as fc.Arbitrary<Op[]>

/** Timelines are long; FC_RUNS tries more of them. */
const RUNS = 60

/** Runs a timeline in both worlds. */
class Comparison {
  readonly #bed = new TestRegistry({ limits: { sessions: 1000 } })
  readonly #all: { model: ModelSession; got: { atMs: number; window: CounterWindow }[] }[] = []
  readonly #open: { model: ModelSession; close: () => void }[] = []
  readonly #counters: { name: string; kind: Kind; write(x: number): void; dispose(): void }[] = []
  #nowMs = 0
  #made = 0

  play(op: Op): void {
    if (op.op === 'open') this.#openSession(op.intervalMs)
    else if (op.op === 'create') this.#create(op.kind)
    else if (op.op === 'close') this.#take(this.#open, op.which)?.close()
    else if (op.op === 'dispose') this.#dispose(op.which)
    else if (op.op === 'write') this.#write(op.which, op.value)
    else this.#move(op)
  }

  #openSession(intervalMs: number): void {
    const model = new ModelSession(this.#nowMs, intervalMs)
    for (const { name, kind } of this.#counters) model.add(name, kind, this.#nowMs)
    const got: { atMs: number; window: CounterWindow }[] = []
    const { registry, clock } = this.#bed
    const session = registry.open({ intervalMs, deliver: 'own' }, ({ timeMs, windows }) => {
      for (const window of windows) got.push({ atMs: timeMs - clock.startMs, window })
    })
    this.#all.push({ model, got })
    this.#open.push({ model, close: () => session!.close() })
  }

  #create(kind: Kind): void {
    const name = `c${this.#made++}`
    const { source } = this.#bed
    const { write, dispose } =
      kind === 'mean' ? meanCounter(name, source) : sumCounter(name, source)
    this.#counters.push({ name, kind, write, dispose })
    for (const { model } of this.#open) model.add(name, kind, this.#nowMs)
  }

  #dispose(which: number): void {
    const counter = this.#take(this.#counters, which)
    if (counter === undefined) return
    counter.dispose()
    for (const { model } of this.#open) model.remove(counter.name)
  }

  #write(which: number, value: number): void {
    const counter = this.#counters[which % this.#counters.length]
    if (counter === undefined) return
    counter.write(value)
    for (const { model } of this.#open) model.write(counter.name, value)
  }

  #move({ op, ms }: Extract<Op, { ms: number }>): void {
    this.#nowMs += ms
    this.#bed.clock[op](ms)
    for (const { model } of this.#open) model[op](this.#nowMs)
  }

  #take<T>(list: T[], which: number): T | undefined {
    return list.length === 0 ? undefined : list.splice(which % list.length, 1)[0]
  }

  check(): void {
    for (const { model, got } of this.#all) {
      assert.equal(got.length, model.payloads.length)
      got.forEach(({ atMs, window }, i) => {
        const { samples, spanMs, ...expected } = model.payloads[i]!
        const { counter, intervalSec, statistics } = window
        assert.deepEqual({ atMs, name: counter.name, kind: statistics.kind }, expected)
        assert.ok(Math.abs(intervalSec - spanMs / 1000) < 1e-9)
        checkStatistics(statistics, samples)
      })
    }
  }
}

function meanCounter(name: string, source: TestRegistry['source']) {
  const counter = new EventCounter(name, source)
  return { write: (x: number) => counter.writeMetric(x), dispose: () => counter.close() }
}

function sumCounter(name: string, source: TestRegistry['source']) {
  const counter = new IncrementingEventCounter(name, source)
  return { write: (x: number) => counter.increment(x), dispose: () => counter.close() }
}

function checkStatistics(statistics: Statistics, samples: readonly number[]): void {
  const n = samples.length
  const sum = samples.reduce((total, x) => total + x, 0)
  if (statistics.kind === 'sum') {
    assert.equal(statistics.increment, sum)
    return
  }
  const mean = n === 0 ? 0 : sum / n
  const squares = samples.reduce((total, x) => total + (x - mean) ** 2, 0)
  const deviation = n === 0 ? 0 : Math.sqrt(squares / n)
  assert.deepEqual(
    [statistics.count, statistics.min, statistics.max],
    [n, Math.min(...samples), Math.max(...samples)],
  )
  assert.ok(Math.abs(statistics.mean - mean) <= 1e-9 * Math.max(1, Math.abs(mean)))
  assert.ok(Math.abs(statistics.deviation - deviation) <= 1e-9 * Math.max(1, deviation))
}

test('any timeline of sessions, counters, writes and standstills gives what section 4 says', () => {
  holds(
    fc.property(ops, (timeline) => {
      const comparison = new Comparison()
      for (const step of timeline) comparison.play(step)
      comparison.check()
    }),
    RUNS,
  )
})
