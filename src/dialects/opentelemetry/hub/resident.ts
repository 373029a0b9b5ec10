/** The hub's side of OTLP/HTTP: the streams that it knows, and who sends them. */

import type { Measured, Resident, ResidentContext } from '../../../hub/resident.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Clock } from '../../../time/clock.ts'
import type { Peer, PeerConnection, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { NAME, type PointErrorCode } from '../spec.ts'
import { Receiver, type Taken } from './receiver.ts'
import { type KnownOrigin, Streams } from './streams.ts'

/** Senders shown; of more the one that was silent longest is left out. */
const SENDERS_LIMIT = 256
/** A sender that was silent for so long is not shown, ms. */
const SENDER_MS = 300_000
/** Seconds between looks for streams that are to be forgotten. */
const SWEEP_EVERY_S = 60
/** Reason of points that JSON can't say. */
const BAD_VALUE: PointErrorCode = 'bad_value'
const NS_PER_MS = 1_000_000

interface Sender {
  readonly peer: Peer
  readonly sinceMs: number
  readonly origin: KnownOrigin | undefined
  lastMs: number
  requests: number
  points: number
  rejected: number
}

export class OpenTelemetryResident implements Resident {
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #ingest: Ingest & Measured
  readonly #streams: Streams
  readonly #receiver: Receiver
  readonly #senders = new Map<string, Sender>()
  #sinceSweepS = 0

  constructor({ clock, options, createIngest, reports }: ResidentContext) {
    this.#clock = clock
    this.#reports = reports.for(NAME)
    this.#ingest = createIngest()
    this.#streams = new Streams(options.streamsLimit as number)
    this.#receiver = new Receiver({
      ...{ ingest: this.#ingest, streams: this.#streams, reports: this.#reports },
      sinceNs: clock.wallMs() * NS_PER_MS,
      nowMs: () => clock.wallMs(),
    })
  }

  get measured(): Measured {
    return this.#ingest
  }

  get connectionCount(): number {
    return this.#senders.size
  }

  /**
   * Takes the points of a request whose framing fits, in steps.
   * @param badPoints that JSON had and `bytes` have not
   */
  *receive(bytes: Uint8Array, peer: Peer, badPoints = 0): Task<Taken> {
    const taken = yield* this.#receiver.take(bytes, peer)
    if (badPoints > 0) {
      taken.rejected += badPoints
      taken.reasons.set(BAD_VALUE, (taken.reasons.get(BAD_VALUE) ?? 0) + badPoints)
    }
    for (let i = 0; i < badPoints; i++) this.reject(BAD_VALUE, bytes, peer, 'a point in JSON')
    this.#noteSender(taken, peer)
    return taken
  }

  /** Counts a request that can't be read. */
  reject(code: string, bytes: Uint8Array, peer: Peer, detail: string): void {
    this.#reports.decodeError({ dialect: NAME, code, offset: 0, resync: true }, bytes, peer, detail)
  }

  #noteSender({ origin, accepted, rejected }: Taken, peer: Peer): void {
    const nowMs = this.#clock.wallMs()
    const key = JSON.stringify([peer.address, origin?.service, origin?.instance])
    let sender = this.#senders.get(key)
    // the one that comes last is the last to make room
    this.#senders.delete(key)
    sender ??= { peer, sinceMs: nowMs, origin, lastMs: 0, requests: 0, points: 0, rejected: 0 }
    sender.lastMs = nowMs
    sender.requests++
    sender.points += accepted
    sender.rejected += rejected
    this.#senders.set(key, sender)
    if (this.#senders.size > SENDERS_LIMIT) {
      this.#senders.delete(this.#senders.keys().next().value!)
    }
  }

  connections(): readonly PeerConnection[] {
    return [...this.#senders.values()].map(({ peer, sinceMs, origin, ...counts }) => ({
      peer,
      sinceMs,
      facts: {
        ...(origin === undefined || origin.service === '' ? {} : { service: origin.service }),
        ...(origin === undefined || origin.instance === '' ? {} : { instance: origin.instance }),
        requests: counts.requests,
        points: counts.points,
        rejected: counts.rejected,
        ...factsOf(origin),
      },
    }))
  }

  *beforeClose(_endMs: number, seconds: number): Task {
    this.#sinceSweepS += seconds
    if (this.#sinceSweepS < SWEEP_EVERY_S) return
    this.#sinceSweepS = 0
    const nowMs = this.#clock.wallMs()
    yield* this.#streams.sweep(nowMs)
    for (const [key, { lastMs }] of this.#senders) {
      if (nowMs - lastMs > SENDER_MS) this.#senders.delete(key)
    }
  }

  limits(): readonly LimitStatus[] {
    const { size, limit, refused } = this.#streams
    return [
      {
        ...{ name: 'opentelemetry.streams', limit, used: size, refused },
        behaviour:
          'Streams that were silent for 2 minutes make room; without any, points of a further ' +
          'stream are refused.',
      },
    ]
  }
}

/** Attributes of a resource shown; the page has one line for each sender. */
const FACTS_SHOWN = 12

function factsOf(origin: KnownOrigin | undefined): Record<string, string> {
  return Object.fromEntries((origin?.facts ?? []).slice(0, FACTS_SHOWN))
}

export function createResident(context: ResidentContext): OpenTelemetryResident {
  return new OpenTelemetryResident(context)
}

/** Finds the resident of a hub; undefined where its registry has no OpenTelemetry. */
export function openTelemetryOf(hub: Pick<HubView, 'resident'>): OpenTelemetryResident | undefined {
  return hub.resident(NAME) as OpenTelemetryResident | undefined
}
