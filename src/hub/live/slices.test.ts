/** Whatever comes between two steps of a closing second is in that second or the next, once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { holds } from '../../../test/support/property.ts'
import { WallarooState } from '../../dialects/wallaroo/hub/state.ts'
import { withFrame } from '../../dialects/wallaroo/test/frames.ts'
import { addExact, addToSummary, EMPTY_SUMMARY, type Exact } from '../../model/index.ts'
import { type Writer, Zone } from '../../shm/index.ts'
import { CommandApplier } from '../ingest/command-queue.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { Windows } from '../ingest/windows/windows.ts'
import { ZoneIngest } from '../ingest/zone-ingest.ts'
import type { SeriesRecord } from '../series/record.ts'
import { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import { Samples } from './samples/samples.ts'
import { CellCloser } from './tick.ts'
import { Totals } from './totals.ts'

const LIMITS = { retentionMs: 3_600_000, windowBytesLimit: 1_000_000, workersLimit: 100 }
const unexpected = (): never => assert.fail('refused or noted')
const events = { refused: unexpected, noted: unexpected, contested: unexpected }

/** Closes seconds as the hub does, and adds up what their frames say. */
class Bench {
  readonly clock = new FakeClock()
  readonly zone = Zone.create()
  readonly store = new SeriesStore(this.zone, SERIES_LIMITS, () => this.clock.wallMs())
  readonly writer: Writer = this.zone.attach()
  readonly reader = this.zone.reader()
  readonly totals = new Totals(this.zone, this.reader)
  readonly windows = new Windows(this.writer)
  readonly samples = new Samples()
  readonly closer = new CellCloser(this)
  readonly ingest = new ZoneIngest(
    { dialect: 'test' },
    {
      series: this.store,
      writer: this.writer,
      queue: new CommandApplier(this.store, this.writer, this.windows).queue(events),
      events,
      rows: this.samples.written.rows,
    },
  )
  readonly pipelines = new WallarooState({
    options: LIMITS,
    clock: this.clock,
    ingest: this.ingest,
    quota: this.store.quota,
    refused: () => assert.fail('no series is refused'),
  })
  readonly said = new Map<SeriesRecord, Exact>()
  #steps: Task<Frame> | undefined

  /** A window of so many messages of a computation. */
  window(series: number, count: number): void {
    withFrame(
      { name: `c${series}`, bins: { 3: `${count}` }, min_ns: '5', max_ns: '7' },
      (frame) => {
        const found = this.pipelines.find(frame, 'test', this.clock.wallMs())
        this.pipelines.take(found!, frame, 'test', this.clock.wallMs())
      },
    )
  }

  record(name: string, kind: 'counter' | 'summary'): SeriesRecord {
    const identity = { name, kind, labels: [] }
    const made = this.store.define({ identity, metadata: { dialect: 'test' }, source: 'test' })
    if (typeof made === 'string') throw new Error(made)
    return made
  }

  *#second(): Task<Frame> {
    yield* this.pipelines.flush()
    this.clock.pass(1000)
    return yield* this.closer.closing(this.clock.wallMs(), 1)
  }

  /** One step of the second that is being closed; begins the next one. */
  step(): void {
    this.#steps ??= this.#second()
    const step = this.#steps.next()
    if (step.done !== true) return
    this.#steps = undefined
    for (const record of this.store) this.#add(this.store.keep(record), step.value)
  }

  /** The second under way, and one more. */
  finish(): void {
    while (this.#steps !== undefined) this.step()
    do this.step()
    while (this.#steps !== undefined)
  }

  #add(record: SeriesRecord, frame: Frame): void {
    const cell = frame.cell(record.id, record.identity.kind)
    if (cell === undefined || cell.kind === 'gauge') return
    const said = this.said.get(record) ?? 0
    if (cell.kind === 'counter') this.said.set(record, addExact(said, cell.delta))
    else if (cell.kind === 'summary') this.said.set(record, addExact(said, cell.summary.count))
    else this.said.set(record, addExact(said, Number(cell.histogram.count)))
  }
}

const action = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'step' as const, series: 0, count: 0 }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('window' as const, 'counter' as const, 'summary' as const),
      series: fc.nat({ max: 4 }),
      count: fc.integer({ min: 0, max: 9 }),
    }),
  },
)

test('what comes in the middle of a closing second is told once, in it or in the next', () => {
  holds(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const bench = new Bench()
      const sent = new Map<string, Exact>()
      for (const { kind, series, count } of actions) {
        const key = `${kind} ${series}`
        if (kind === 'step') bench.step()
        else if (kind === 'window') bench.window(series, count)
        else if (kind === 'counter') {
          const delta = count / 4
          const cell = { kind, delta }
          assert.ok(bench.windows.merge(bench.record(key, kind), cell, 1))
          sent.set(key, addExact(sent.get(key) ?? 0, delta))
          continue
        } else {
          const summary = new Array(count).fill(1).reduce(addToSummary, EMPTY_SUMMARY)
          assert.ok(bench.windows.merge(bench.record(key, kind), { kind, summary }, 1))
        }
        sent.set(key, addExact(sent.get(key) ?? 0, count))
      }
      bench.finish()
      for (const [record, said] of bench.said) {
        const { name, labels, kind } = record.identity
        const computation = labels.find(([label]) => label === 'computation')?.[1]
        const key = computation === undefined ? name : `window ${computation.slice(1)}`
        assert.equal(said, sent.get(key), `${kind} ${name}`)
      }
      const told = [...bench.said.keys()].map(({ identity }) => identity)
      for (const [key, count] of sent) {
        if (count === 0 || key === 'step 0') continue
        const [kind, series] = key.split(' ')
        const cells = told.filter(({ name, labels }) =>
          kind === 'window' ? labels.some(([, value]) => value === `c${series}`) : name === key,
        )
        assert.equal(cells.length, kind === 'window' ? 2 : 1, key)
      }
    }),
  )
})

test('windows that come while thousands of counters are read are each told once, whole', () => {
  const bench = new Bench()
  const counters = Array.from({ length: 9000 }, (_, i) => bench.record(`c${i}`, 'counter'))
  const sent = new Map<number, Exact>()
  const send = (place: number, delta: number): void => {
    const record = counters[place]!
    assert.ok(bench.windows.merge(record, { kind: 'counter', delta }, 1))
    sent.set(place, addExact(sent.get(place) ?? 0, delta))
  }
  // of each page of rows: closed with windows, without, both, and with fractions
  for (const page of [0, 4096, 8192]) for (const row of [1, 2, 3]) send(page + row, row + 0.25)
  bench.step()
  for (let steps = 0; steps < 12; steps++) {
    for (const page of [0, 4096, 8192]) {
      send(page + 1, 2)
      send(page + 2, 0.5)
      send(page + 10 + steps, 3)
    }
    bench.step()
  }
  bench.finish()
  for (const [place, delta] of sent) {
    const record = counters[place]!
    assert.equal(bench.said.get(bench.store.keep(record)), delta, `c${place}`)
    const total = bench.totals.of(record)
    assert.deepEqual(total, { kind: 'counter', total: delta, decrements: 0 })
  }
  assert.equal(bench.said.size, sent.size)
})

test('a window that comes before its counter is read is closed with it', () => {
  const bench = new Bench()
  const counters = Array.from({ length: 5000 }, (_, i) => bench.record(`c${i}`, 'counter'))
  bench.finish()
  bench.step()
  const late = bench.store.keep(counters[4999]!)
  assert.ok(bench.windows.merge(late, { kind: 'counter', delta: 5.25 }, 1))
  bench.finish()
  assert.ok(late.kind === 'counter')
  assert.deepEqual(late.windows?.last, { delta: 5.25, seconds: 1 })
  assert.equal(bench.said.get(late), 5.25)
})
