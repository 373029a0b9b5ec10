/**
 * What a hub makes of a process' words, as a fuzz target: whatever a stream says, nothing is
 * thrown, memory stays within its budget, no total falls or stops to be a number, and the series
 * are the same however the bytes are cut.
 */
import assert from 'node:assert/strict'
import { ByteBuilder, forEachPiece } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../../test/support/model-ingest.ts'
import { ReceivedReadings } from '../../client/attach/received-readings.ts'
import { Duplicates } from '../../client/counters/duplicates.ts'
import { MeterNotes } from '../../client/counters/meter-notes.ts'
import { readReply } from '../../codec/ipc/read.ts'
import { NetTraceReader } from '../../codec/stream/reader.ts'
import { encodeNetTrace } from '../../codec.ts'
import { readingOf } from '../../map.ts'
import { RECORDINGS } from '../recordings.ts'
import { STREAMS } from '../vectors/streams.ts'
import { makeEvents } from './grammar.ts'

/** Budget that some inputs need more than. */
const BUDGET_BYTES = 20_000
const out = new ByteBuilder()

/** Reads a stream as a session at a process does, and gives the series in a form to compare. */
function receive(bytes: Uint8Array, random?: Random): string {
  const ingest = new ModelIngest()
  const budget = { limit: BUDGET_BYTES, used: 0 }
  const readings = new ReceivedReadings(ingest, 'Shop', budget)
  const duplicates = new Duplicates()
  const notes = new MeterNotes({ sessionId: 'SHARED', clientId: 'me' })
  const reader = new NetTraceReader({
    order: 'stream',
    blockBytesLimit: 1024 * 1024,
    onEvent(event) {
      const reading = readingOf(event)
      if (reading === undefined) notes.take(event)
      else if (!duplicates.has(reading, event, event.ticks / 1e6)) readings.take(reading)
      assert.ok(budget.used >= 0 && budget.used <= budget.limit, `${budget.used} bytes`)
    },
  })
  if (random === undefined) reader.push(bytes)
  else forEachPiece(random, bytes, (piece) => reader.push(piece))
  reader.end()
  for (const text of notes.texts.values()) assert.ok(text.length <= 400)
  readings.end()
  readings.close()
  assert.equal(budget.used, 0)
  return JSON.stringify(ingest.series.map(describe))
}

/** Describes a series, of which totals have to be numbers that never fall. */
function describe({ identity, total, value, summary, windows }: ModelIngest['series'][number]) {
  assert.ok(total >= 0 && Number.isFinite(Number(total)), `total ${total}`)
  assert.ok(identity.labels.some(([key, name]) => key === 'process' && name === 'Shop'))
  const { count, mean } = summary
  assert.ok(count >= 0 && Number.isFinite(mean), `mean ${mean} of ${count}`)
  return [
    identity.name,
    identity.kind,
    identity.labels,
    String(total),
    String(value),
    count,
    windows,
  ]
}

export const client: FuzzTarget = {
  name: 'nettrace-client',

  seeds: () => [...STREAMS.values(), RECORDINGS.get('id-filter')!, RECORDINGS.get('meters')!],

  generate(random) {
    const [whole] = encodeNetTrace(makeEvents(random))
    return { bytes: out.reset(random.below(4)).raw(whole!).bytes }
  },

  run(bytes, random) {
    const reply = readReply(bytes)
    if (reply?.message === 'Error') assert.match(reply.code, /^[0-9a-f]{8}$/)
    assert.equal(receive(bytes, random), receive(bytes))
  },

  canary: {
    fault: 'a stream begins one byte too late',
    run(bytes, random) {
      assert.equal(receive(bytes.subarray(1), random), receive(bytes))
    },
  },
}
