/** The house's own export, taken in again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { RequestWriter } from '../../../http/export/otlp/protobuf.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { Receiver } from '../hub/receiver.ts'
import { Streams } from '../hub/streams.ts'

test('what our own exporter writes is taken as it was', () => {
  const writer = new RequestWriter()
  writer.begin()
  const head = { scope: { name: 'statshero' }, unit: 'By', description: 'D' }
  const timeMs = 1_700_000_010_000
  const startMs = timeMs - 5000
  const point = { attributes: [['zone', 'b']] as const, startMs, timeMs }
  writer.add({
    ...{ ...head, name: 'sent', kind: 'sum', temporality: 'cumulative' },
    points: [{ ...point, value: 9007199254740993n, isInteger: true }],
  })
  writer.add({
    ...{ ...head, name: 'sizes', kind: 'exponentialHistogram', temporality: 'delta' },
    points: [
      {
        ...{ ...point, count: 6n, sum: 12, min: 1, max: 4, scale: 2, zeroThreshold: 0 },
        ...{ zeroCount: 1n, positive: { offset: -1, counts: [2n, 3n] } },
        negative: { offset: 0, counts: [] },
      },
    ],
  })
  const ingest = new ModelIngest()
  const parts = { ingest, streams: new Streams(10), reports: NO_REPORTS, sinceNs: 1 }
  const receiver = new Receiver({ ...parts, nowMs: () => timeMs })
  const request = writer.request({ 'service.name': 'hub' })
  const taken = runNow(receiver.take(request, { transport: 'tcp', address: '', port: 0 }))
  assert.deepEqual([taken.accepted, taken.rejected], [2, 0])
  const [sent, sizes] = ingest.series
  assert.deepEqual([sent!.total, sent!.metadata.unit], [9007199254740993n, 'By'])
  const { count, scale, zeroCount, min, max, positive } = sizes!.histogram
  assert.deepEqual([count, scale, zeroCount, min, max, positive.offset], [6n, 2, 1n, 1, 4, -1])
})
