/** A receiver of samples for tests, with a model of its own and a clock in the test's hand. */
import assert from 'node:assert/strict'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { openingRequest } from '../codec/request-scan.ts'
import { unpackSnappy } from '../codec/snappy.ts'
import { encodeRemoteWrite, type WriteRequest } from '../codec.ts'
import { Families } from '../hub/families.ts'
import { Receiver, type Taken } from '../hub/receiver.ts'
import { Streams } from '../hub/streams.ts'
import { UNPACKED_BYTES_LIMIT, type Version } from '../spec.ts'
import { type Json, request2Of, requestOf, TIME_MS } from './requests.ts'

const PEER = { transport: 'tcp', address: '10.0.0.9', port: 4000 } as const

export class TestHub {
  readonly ingest = new ModelIngest()
  readonly reports = new RecordedReports()
  readonly families = new Families()
  readonly streams: Streams
  nowMs = TIME_MS
  taken: Taken | undefined
  readonly #receiver: Receiver

  constructor(streamsLimit = 1000) {
    this.streams = new Streams(streamsLimit, this.families, TIME_MS)
    this.#receiver = new Receiver({
      ...{ ingest: this.ingest, families: this.families, streams: this.streams },
      ...{ reports: this.reports, nowMs: () => this.nowMs },
    })
  }

  /** Takes series. @returns reasons of those samples that were not taken */
  take(timeseries: readonly Json[], metadata: readonly Json[] = []): string[] {
    return this.bytes(bytesOf(requestOf(timeseries, metadata)))
  }

  /** Takes series by 2.0. */
  take2(timeseries: readonly Json[]): string[] {
    return this.bytes(bytesOf(request2Of(timeseries)), 2)
  }

  bytes(bytes: Uint8Array, version: Version = 1): string[] {
    const opening = openingRequest(bytes, version, (said) => void this.families.take(said))
    const opened = runNow(opening)
    assert.ok(typeof opened !== 'string', String(opened))
    this.taken = runNow(this.#receiver.take(opened, PEER))
    return [...this.taken.reasons].map(([code, n]) => `${n} ${code}`)
  }

  /** Kinds and totals by name, of series that are there. */
  get totals(): Record<string, unknown> {
    const there = this.ingest.series.filter(({ isRetired }) => !isRetired)
    return Object.fromEntries(
      there.map(({ identity, total, value, histogram }) => {
        const { name, kind } = identity
        const held = { counter: total, gauge: value, histogram: histogram.count, summary: 0 }[kind]
        return [`${kind} ${name}`, held]
      }),
    )
  }
}

/** Writes a request, unpacked. */
export function bytesOf(request: WriteRequest): Uint8Array {
  const [packed] = encodeRemoteWrite([request])
  const unpacked = unpackSnappy(packed!, UNPACKED_BYTES_LIMIT)
  assert.ok(typeof unpacked !== 'string')
  return unpacked.bytes
}
