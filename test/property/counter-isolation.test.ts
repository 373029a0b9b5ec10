/**
 * The document's first goal: no session notices another (eventcounters.md §4.2). Every session
 * of a crowded day is compared with a replay of its own open time in which it is alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CounterWindow } from '../../src/dialects/eventcounters/window.ts'
import {
  CounterRegistry,
  EventCounter,
  EventSource,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from '../../src/instrument/index.ts'
import { FakeClock } from '../support/fake-clock.ts'

const DAY_MS = 86_400_000
const VIEWERS = 50
const VISITS = 3
const INTERVALS_MS = [1, 250, 1000, 1000, 1000, 2000, 5000, 7000, 60_000, 3_600_000]

interface Write {
  readonly atMs: number
  readonly value: number
}

interface Visit {
  readonly openMs: number
  readonly closeMs: number
  readonly intervalMs: number
}

/** Numbers in [0, 1) that repeat for a seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Some writes come in bursts longer than the recording buffer, some share a moment. */
function dayOfWrites(random: () => number): Write[] {
  const writes: Write[] = []
  for (let atMs = 0; atMs < DAY_MS; atMs += Math.floor(random() * 20_000)) {
    const burst = random() < 0.01 ? 150 : 1
    for (let i = 0; i < burst; i++) writes.push({ atMs, value: (random() - 0.3) * 1e6 })
  }
  return writes
}

function dayOfVisits(random: () => number): Visit[] {
  return Array.from({ length: VIEWERS * VISITS }, (_, i) => {
    const visit = Math.floor(DAY_MS / VISITS)
    const intervalMs = INTERVALS_MS[Math.floor(random() * INTERVALS_MS.length)]!
    const longest = Math.min(visit, 1000 * intervalMs)
    const openMs = (i % VISITS) * visit + Math.floor(random() * (visit - longest))
    return { openMs, closeMs: openMs + Math.ceil(random() * longest), intervalMs }
  })
}

/** One of each kind, fed by writes, on a clock of its own. */
class Application {
  readonly clock = new FakeClock()
  readonly registry = new CounterRegistry({ clock: this.clock })
  readonly #source = new EventSource('Application', { registry: this.registry })
  readonly #samples = new EventCounter('samples', this.#source)
  readonly #sum = new IncrementingEventCounter('sum', this.#source)
  #total: number
  #last: number

  constructor(total: number, last: number) {
    this.#total = total
    this.#last = last
    new PollingCounter('last', this.#source, () => this.#last)
    new IncrementingPollingCounter('total', this.#source, () => this.#total)
  }

  write({ value }: Write): void {
    this.#samples.writeMetric(value)
    this.#sum.increment(value)
    this.#total += value
    this.#last = value
  }

  moveTo(atMs: number): void {
    this.clock.advance(atMs - (this.clock.wallMs() - this.clock.startMs))
  }

  /** Opens a session; what it gets is appended to `lines`, every bit of every number. */
  follow(intervalMs: number, lines: string[]): () => void {
    const session = this.registry.open({ intervalMs, deliver: 'own' }, ({ timeMs, windows }) => {
      lines.push(`${timeMs} ${windows.map(textOf).join(' ')}`)
    })
    return () => session!.close()
  }
}

function textOf({ counter, intervalSec, seriesMs, statistics }: CounterWindow): string {
  return [counter.name, intervalSec, seriesMs, ...Object.values(statistics)].join('/')
}

type Step = { readonly atMs: number } & (
  | { readonly write: Write }
  | { readonly visit: number; readonly isOpening: boolean }
)

/** In order of time; at one moment sessions close, counters are written, sessions open. */
function timelineOf(writes: readonly Write[], visits: readonly Visit[]): Step[] {
  const opens = visits.map(({ openMs }, visit) => ({ atMs: openMs, visit, isOpening: true }))
  const closes = visits.map(({ closeMs }, visit) => ({ atMs: closeMs, visit, isOpening: false }))
  const steps: Step[] = [
    ...closes,
    ...writes.map((write) => ({ atMs: write.atMs, write })),
    ...opens,
  ]
  return steps.sort((a, b) => a.atMs - b.atMs)
}

/** What every visit gets of a day in which all of them come and go. */
function crowd(timeline: readonly Step[], visits: readonly Visit[]): string[][] {
  const application = new Application(0, 0)
  const lines: string[][] = visits.map(() => [])
  const closing = new Map<number, () => void>()
  for (const step of timeline) {
    application.moveTo(step.atMs)
    if ('write' in step) application.write(step.write)
    else if (step.isOpening) {
      const { intervalMs } = visits[step.visit]!
      closing.set(step.visit, application.follow(intervalMs, lines[step.visit]!))
    } else closing.get(step.visit)?.()
  }
  assert.equal(application.clock.pending, 0)
  return lines
}

/** What one visit gets when nobody else is there, of the writes of its open time alone. */
function alone(timeline: readonly Step[], index: number, visit: Visit): string[] {
  const lines: string[] = []
  let [total, last] = [0, 0]
  let application: Application | undefined
  let close = () => {}
  for (const step of timeline) {
    if (step.atMs > visit.closeMs) break
    if ('write' in step) {
      total += step.write.value
      last = step.write.value
      application?.moveTo(step.atMs)
      application?.write(step.write)
    } else if (step.visit === index && step.isOpening) {
      application = new Application(total, last)
      application.moveTo(step.atMs)
      close = application.follow(visit.intervalMs, lines)
    }
  }
  application?.moveTo(visit.closeMs)
  close()
  return lines
}

test('a crowded day gives every session, bit for bit, what it would get alone', (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 32)
  t.diagnostic(`seed ${seed}: SEED=${seed} repeats it`)
  const random = seeded(seed)
  const [writes, visits] = [dayOfWrites(random), dayOfVisits(random)]
  const timeline = timelineOf(writes, visits)
  const together = crowd(timeline, visits)
  let boundaries = 0
  visits.forEach((visit, i) => {
    const expected = alone(timeline, i, visit)
    const intervals = Math.floor((visit.closeMs - visit.openMs) / visit.intervalMs)
    assert.equal(together[i]!.length, intervals, `visit ${i}, SEED=${seed}`)
    assert.deepEqual(together[i], expected, `visit ${i}, SEED=${seed}`)
    boundaries += intervals
  })
  assert.ok(boundaries > 10_000, `${boundaries} boundaries`)
})
