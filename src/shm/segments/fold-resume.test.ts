import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { defined, histogramFacts } from '../../../test/support/threads/shm.ts'
import { SCALE_MAX } from '../../model/index.ts'
import { METRIC_MODES, METRIC_TYPES, type Writer, Zone } from '../index.ts'
import { type Page, ZoneMemory } from '../memory/memory.ts'
import { ExponentialSlot } from '../slots/exponential-slot.ts'
import { foldSegment } from './fold.ts'
import { Segments } from './segments.ts'

class Death extends Error {}

/** The zone as a thread sees it that dies after so many looks at pages and at what is on them. */
function dyingMemory(zone: Zone, looks: number): { memory: ZoneMemory; look: () => void } {
  const memory = ZoneMemory.open(zone.shared)
  let left = looks
  const look = (): void => {
    left--
    if (left < 0) throw new Death()
  }
  const page = memory.page.bind(memory)
  const freePage = memory.freePage.bind(memory)
  memory.page = (index) => {
    const real = page(index)
    const fragile: Page = {
      get words() {
        look()
        return real.words
      },
      get floats() {
        look()
        return real.floats
      },
      get halves() {
        look()
        return real.halves
      },
    }
    look()
    return fragile
  }
  memory.freePage = (index, part) => {
    look()
    freePage(index, part)
  }
  return { memory, look }
}

const KINDS = METRIC_TYPES.flatMap((type) => METRIC_MODES[type].map((mode) => ({ type, mode })))
const VALUES = [1, 5, 5, 70_000, 3, 2 ** 31]

/** A zone with two metrics of a kind, counted by a writer that is to leave. */
function zoneToFold(kind: number, hasBase: boolean): { zone: Zone; metrics: number[] } {
  const zone = Zone.create({ zoneBytesLimit: 1_048_576 })
  const { type, mode } = KINDS[kind]!
  const options = type === 'binned' ? { mode, bounds: [4, 80_000] } : { mode }
  const metrics = ['a', 'b'].map((name) => defined(zone, name, type, options))
  zone.reader().listen(true)
  const first = zone.attach()
  if (hasBase) record(zone, first, metrics, VALUES)
  assert.ok(first.detach())
  const signed = type === 'exponential' ? [...VALUES, ...VALUES.map((value) => -3 * value)] : VALUES
  record(zone, zone.attach(), metrics, signed)
  return { zone, metrics }
}

function record(
  zone: Zone,
  writer: Writer,
  metrics: readonly number[],
  values: readonly number[],
): void {
  for (const metric of metrics) {
    const type = zone.type(metric)
    const mode = zone.mode(metric)
    for (const value of values) {
      if (mode === 'shared') assert.ok(writer.sharedGauge(metric)!.add(value))
      else if (type === 'gauge') assert.ok(writer.gauge(metric)!.set(value))
      else if (mode === 'settable') assert.ok(writer.settableCounter(metric)!.add(value))
      else if (type === 'counter') assert.ok(writer.counter(metric)!.add(value))
      else assert.ok(writer[type](metric)!.observe(value))
    }
  }
}

/** Everything that a fold must not change; a sum of gauges ends with its writers. */
function totals(zone: Zone, metrics: readonly number[]): unknown[] {
  const reader = zone.reader()
  return metrics.map((metric) => {
    if (zone.mode(metric) === 'sum' || zone.type(metric) === 'summary') return undefined
    switch (zone.type(metric)) {
      case 'counter':
        return reader.counter(metric)
      case 'gauge': {
        const reading = { value: 0, sequence: 0 }
        return [reader.gauge(metric, reading), reading]
      }
      case 'exponential':
        return histogramFacts(reader.exponential(metric))
      default:
        return reader.bins(metric)
    }
  })
}

function fold(memory: ZoneMemory, look: () => void = () => {}): void {
  const segments = new Segments(memory)
  for (const segment of [segments.own(0), segments.own(1)]) {
    const setEntry = segment.setEntry.bind(segment)
    segment.setEntry = (chunk, entry) => {
      look()
      setEntry(chunk, entry)
    }
  }
  foldSegment(memory, segments.own(0), segments.own(1))
}

/** What is taken once is gone: so it is looked at only at the end. */
function checkTaken(zone: Zone, metrics: readonly number[], times: number): void {
  const taken: number[][] = []
  zone.reader().takeSummaries((metric, { count, sum, min, max }) => {
    taken.push([metric, count, sum, min, max])
  })
  const count = times * VALUES.length
  const sum = times * VALUES.reduce((total, value) => total + value, 0)
  const expected = metrics.map((metric) => [metric, count, sum, 1, 2 ** 31])
  assert.deepEqual(taken, expected)
}

test('a fold that its thread did not live to finish is finished by another, nothing lost', () => {
  let died = 0
  const exponential = KINDS.findIndex(({ type }) => type === 'exponential')
  // A page of exponential histograms is looked at 250 times, one of counters 20,000 times.
  const death = fc.oneof(
    fc.tuple(fc.nat({ max: KINDS.length - 1 }), fc.nat({ max: 20_000 })),
    fc.tuple(fc.constant(exponential), fc.nat({ max: 250 })),
  )
  holds(
    fc.property(death, fc.boolean(), ([kind, looks], hasBase) => {
      const { zone, metrics } = zoneToFold(kind, hasBase)
      const before = totals(zone, metrics)
      const { memory, look } = dyingMemory(zone, looks)
      try {
        fold(memory, look)
      } catch (error) {
        assert.ok(error instanceof Death)
        died++
      }
      fold(ZoneMemory.open(zone.shared))
      assert.deepEqual(totals(zone, metrics), before)
      if (KINDS[kind]!.type === 'summary') checkTaken(zone, metrics, hasBase ? 2 : 1)
      for (const metric of metrics) {
        for (const { segment } of zone.reader().segments(metric)) assert.equal(segment, 0)
        if (zone.mode(metric) !== 'sum') continue
        assert.equal(zone.reader().gauge(metric, { value: 0, sequence: 0 }), false)
      }
    }),
    1_000,
  )
  assert.ok(died > 100, `${died} of 1000 died`)
})

test('a change of scale that its thread did not live to finish loses no observation', () => {
  const exponential = KINDS.findIndex(({ type }) => type === 'exponential')
  let deaths = 0
  for (let looks = 0, isFinished = false; !isFinished; looks++) {
    const { zone, metrics } = zoneToFold(exponential, false)
    const { count, scale } = zone.reader().exponential(metrics[0]!)
    const { memory } = dyingMemory(zone, looks)
    try {
      const page = new Segments(memory).own(1).pageOf(0)!
      new ExponentialSlot(memory, page, 0).coarsenTo(SCALE_MAX - scale + 2)
      isFinished = true
    } catch (error) {
      assert.ok(error instanceof Death)
      deaths++
    }
    const after = zone.reader().exponential(metrics[0]!)
    assert.equal(after.count, count, `after ${looks} looks`)
    assert.equal(after.scale, isFinished ? scale - 2 : scale)
  }
  assert.ok(deaths > 5, `${deaths} deaths`)
})
