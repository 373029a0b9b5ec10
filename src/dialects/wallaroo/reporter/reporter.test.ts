import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NanoClock } from '../../../../test/support/nano-clock.ts'
import type { Metrics } from '../codec/encode.ts'
import { Reporter, type WindowOptions } from './reporter.ts'
import { ArrivalStage, ComputationStage, HandOverStage, SinkStage, SourceStage } from './stages.ts'

const START = 1_700_000_000_000_000_000n
const SECOND = 1_000_000_000n

function setUp(options: WindowOptions = {}, createdNs = START) {
  const clock = new NanoClock(createdNs)
  const batches: { at: bigint; lines: string[] }[] = []
  const reporter = new Reporter({
    ...{ application: 'app', worker: 'w', clock, ...options },
    send: (batch) => batches.push({ at: clock.wallNs() - START, lines: batch.map(line) }),
  })
  return { clock, batches, reporter }
}

function line({ category, name, bins, minNs, endNs }: Metrics): string {
  const total = Array.from(bins, Number).reduce((sum, count) => sum + count, 0)
  const end = (BigInt(endNs) - START) / SECOND
  return `${category} ${name} ${total} min ${minNs} end ${end}`
}

describe('windows', () => {
  it('end at multiples of the period since 1970, the first one after its creation', () => {
    for (const [createdNs, endNs] of [
      [START, START + 2n * SECOND],
      [START + 1n, START + 2n * SECOND],
      [START - 1n, START],
    ] as const) {
      const { clock, batches, reporter } = setUp({}, createdNs)
      reporter.startToEnd('Orders').record(6)
      clock.moveTo(endNs - 1n)
      assert.deepEqual(batches, [])
      clock.moveTo(endNs)
      assert.deepEqual(
        batches.map(({ at }) => at),
        [endNs - START],
      )
    }
  })

  it('are sent by category in the order of the format, in one batch', () => {
    const { clock, batches, reporter } = setUp()
    reporter.nodeIngressEgress('Orders').record(5)
    reporter.startToEnd('Orders').record(6)
    reporter.ingestion('Orders').count(3)
    reporter.computation('Orders', 'Check', 2).record(7)
    clock.moveTo(START + 2n * SECOND)
    assert.deepEqual(batches, [
      {
        at: 2n * SECOND,
        lines: [
          'computation Check 1 min 7 end 2',
          'pipeline-ingestion Orders source 3 min 0 end 2',
          'start-to-end Orders 1 min 6 end 2',
          'node-ingress-egress w 1 min 5 end 2',
        ],
      },
    ])
    reporter.close()
  })

  it('in which nothing was recorded are not sent, and nothing of them is kept', () => {
    const { clock, batches, reporter } = setUp()
    const check = reporter.computation('Orders', 'Check', 2)
    clock.moveTo(START + 5n * SECOND)
    check.record(9)
    clock.moveTo(START + 20n * SECOND)
    assert.deepEqual(
      batches.map(({ lines }) => lines),
      [['computation Check 1 min 9 end 6']],
    )
    reporter.close()
    assert.equal(clock.pending, 0)
  })

  it('are lost at the end without the idle flush, as the peer’s are', () => {
    const { clock, batches, reporter } = setUp({ idleFlush: false })
    reporter.computation('Orders', 'Check', 2).record(1)
    clock.moveTo(START + 60n * SECOND)
    reporter.close()
    assert.deepEqual([batches.length, clock.pending], [0, 0])
  })

  it('do not stay open for long when the clock is set back', () => {
    const { clock, batches, reporter } = setUp()
    reporter.computation('Orders', 'Check', 2).record(1)
    clock.set(START - 3600n * SECOND)
    clock.moveTo(START + 2n * SECOND)
    assert.equal(batches.length, 1)
    clock.set(START - 3600n * SECOND)
    reporter.computation('Orders', 'Check', 2).record(2)
    clock.moveTo(START + 4n * SECOND)
    assert.equal(batches.length, 2)
    assert.ok(reporter.windowEndNs <= clock.wallNs() + 2n * SECOND)
    reporter.close()
  })

  it('follow the profile’s rule unless another is asked for', () => {
    for (const [options, lateIn] of [
      [{ profile: 'peer' }, 2],
      [{ profile: 'document' }, 1],
      [{ profile: 'document', windowRule: 'peer' }, 2],
    ] as const) {
      const { clock, batches, reporter } = setUp({ ...options, idleFlush: false })
      const check = reporter.computation('Orders', 'Check', 2)
      check.record(1)
      clock.moveTo(START + 3n * SECOND)
      check.record(1)
      assert.deepEqual(batches[0]!.lines, [`computation Check ${lateIn} min 1 end 2`])
      reporter.close()
    }
  })
})

describe('recording', () => {
  it('refuses what is no latency, counts it and leaves the window as it was', () => {
    const { clock, batches, reporter } = setUp()
    const check = reporter.computation('Orders', 'Check', 2)
    for (const value of [-1, Number.NaN, Infinity, 2 ** 64, -5n]) check.record(value)
    reporter.ingestion('Orders').count(-1)
    reporter.ingestion('Orders').count(0.5)
    clock.moveTo(START + 2n * SECOND)
    assert.deepEqual([batches.length, reporter.counts.invalidLatency], [0, 7])
    check.record(4)
    reporter.close()
    assert.equal(batches.length, 1)
  })

  it('after the end is ignored', () => {
    const { batches, reporter } = setUp()
    const check = reporter.computation('Orders', 'Check', 2)
    reporter.close()
    check.record(1)
    reporter.close()
    assert.equal(batches.length, 0)
  })

  it('keeps items of equal names in two pipelines apart, and takes the latest id', () => {
    const { clock, reporter, batches } = setUp()
    reporter.computation('Buy', 'Decode', 1).record(1)
    reporter.computation('Sell', 'Decode', 1).record(1)
    reporter.computation('Buy', 'Decode', 4).record(1)
    clock.moveTo(START + 2n * SECOND)
    assert.deepEqual(batches[0]!.lines, [
      'computation Decode 2 min 1 end 2',
      'computation Decode 1 min 1 end 2',
    ])
    reporter.close()
  })
})

describe('stages', () => {
  it('report what the document says of a source, a computation and a sink', () => {
    const { reporter, batches } = setUp()
    new SourceStage(reporter, 'Orders').ingested(40)
    new ComputationStage(reporter, 'Orders', 'Check', 2).computed(300)
    new SinkStage(reporter, 'Orders', 3).completed(20, 9000, 800)
    reporter.close()
    assert.deepEqual(batches[0]!.lines, [
      'computation Decode Time in TCP Source 1 min 40 end 2',
      'computation Check 1 min 300 end 2',
      'computation Sink encoding time 1 min 20 end 2',
      'pipeline-ingestion Orders source 1 min 0 end 2',
      'start-to-end Orders 1 min 9000 end 2',
      'node-ingress-egress w 1 min 800 end 2',
    ])
  })
})

describe('stages between two workers', () => {
  it('report the time on each of them, and the way between', () => {
    const { reporter, batches } = setUp()
    const arrival = new ArrivalStage(reporter, 'Orders', 3)
    arrival.arrived(310)
    // their clocks differ by more than the way took
    arrival.arrived(-5)
    new HandOverStage(reporter, 'Orders').handedOver(640)
    reporter.close()
    assert.deepEqual(batches[0]!.lines, [
      'computation Before receive on data channel (network time) 1 min 310 end 2',
      'node-ingress-egress w 1 min 640 end 2',
    ])
    assert.equal(reporter.counts.invalidLatency, 1)
  })
})

describe('options', () => {
  it('out of their range are refused when the reporter or the item is made', () => {
    assert.throws(() => setUp({ periodMs: 0.999_999 }), /periodMs 0.999999/)
    const refusal = { name: 'EncodeError', code: 'out_of_range' }
    assert.throws(() => setUp({ periodMs: 3_601_000 }), RangeError)
    for (const wrong of [{ profile: 'Peer' }, { binning: '' }, { windowRule: 'late' }]) {
      assert.throws(() => setUp(wrong as object), { name: 'RangeError' })
    }
    const sizesOfThePeer = { arraySizes: true, profile: 'peer' as const }
    assert.throws(() => setUp(sizesOfThePeer), /arraySizes true: want it with profile document/)
    const { reporter } = setUp()
    assert.throws(() => reporter.computation('Orders', 'Check', 65_536), /id 65536/)
    assert.throws(() => reporter.computation('Orders', 'Check', -1), refusal)
    const long = 'n'.repeat(65_536)
    assert.throws(() => reporter.computation('Orders', long, 1), { code: 'name_too_long' })
    assert.throws(() => reporter.startToEnd(long), RangeError)
    reporter.close()
  })
})
