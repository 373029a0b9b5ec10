/** The hub's side of remote write: the streams that it knows, and who sends them. */

import type { Measured, Resident, ResidentContext } from '../../../hub/resident.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Clock } from '../../../time/clock.ts'
import type { Peer, PeerConnection, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { type OpenedRequest, openingRequest } from '../codec/request-scan.ts'
import { FAMILIES_LIMIT, NAME, type Version } from '../spec.ts'
import { Families } from './families.ts'
import { Receiver, type Taken } from './receiver.ts'
import { Streams } from './streams.ts'

/** Senders shown; of more the one that was silent longest is left out. */
const SENDERS_LIMIT = 256
/** A sender that was silent for so long is not shown, ms. */
const SENDER_MS = 300_000
/** Seconds between looks for streams that are to be forgotten. */
const SWEEP_EVERY_S = 60

interface Sender {
  readonly peer: Peer
  readonly sinceMs: number
  readonly agent: string
  lastMs: number
  requests: number
  samples: number
  rejected: number
}

export class RemoteWriteResident implements Resident {
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #ingest: Ingest & Measured
  readonly #families = new Families()
  readonly #streams: Streams
  readonly #receiver: Receiver
  readonly #senders = new Map<string, Sender>()
  #sinceSweepS = 0

  constructor({ clock, options, createIngest, reports }: ResidentContext) {
    this.#clock = clock
    this.#reports = reports.for(NAME)
    this.#ingest = createIngest()
    const limit = options.streamsLimit as number
    this.#streams = new Streams(limit, this.#families, clock.wallMs())
    this.#receiver = new Receiver({
      ...{ ingest: this.#ingest, families: this.#families, streams: this.#streams },
      ...{ reports: this.#reports, nowMs: () => clock.wallMs() },
    })
  }

  get measured(): Measured {
    return this.#ingest
  }

  get connectionCount(): number {
    return this.#senders.size
  }

  /** Takes what a request says of metrics; gives a code where it can't be read. */
  opening(bytes: Uint8Array, version: Version): ReturnType<typeof openingRequest> {
    return openingRequest(bytes, version, (metadata) => void this.#families.take(metadata))
  }

  /**
   * Takes the samples of a request that was opened, in steps.
   * @param agent program that sends, as it says
   */
  *receive(request: OpenedRequest, peer: Peer, agent: string): Task<Taken> {
    const taken = yield* this.#receiver.take(request, peer)
    this.#noteSender(taken, peer, agent)
    return taken
  }

  /** Counts a request that can't be read. */
  reject(code: string, bytes: Uint8Array, peer: Peer, detail: string): void {
    this.#reports.decodeError({ dialect: NAME, code, offset: 0, resync: true }, bytes, peer, detail)
  }

  #noteSender({ accepted, rejected }: Taken, peer: Peer, agent: string): void {
    const nowMs = this.#clock.wallMs()
    const key = JSON.stringify([peer.address, agent])
    let sender = this.#senders.get(key)
    // the one that comes last is the last to make room
    this.#senders.delete(key)
    sender ??= { peer, sinceMs: nowMs, agent, lastMs: 0, requests: 0, samples: 0, rejected: 0 }
    sender.lastMs = nowMs
    sender.requests++
    sender.samples += accepted
    sender.rejected += rejected
    this.#senders.set(key, sender)
    if (this.#senders.size > SENDERS_LIMIT) {
      this.#senders.delete(this.#senders.keys().next().value!)
    }
  }

  connections(): readonly PeerConnection[] {
    return [...this.#senders.values()].map((sender) => {
      const { peer, sinceMs, agent, requests, samples, rejected } = sender
      const facts = { ...(agent === '' ? {} : { agent }), requests, samples, rejected }
      return { peer, sinceMs, facts }
    })
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
        ...{ name: 'remotewrite.streams', limit, used: size, refused },
        behaviour:
          'Series that were silent for 2 minutes make room; without any, samples of a further ' +
          'series are refused.',
      },
      {
        ...{ name: 'remotewrite.metadata', limit: FAMILIES_LIMIT, used: this.#families.size },
        refused: 0,
        behaviour: 'The metric whose metadata came longest ago makes room.',
      },
    ]
  }
}

export function createResident(context: ResidentContext): RemoteWriteResident {
  return new RemoteWriteResident(context)
}

/** Finds the resident of a hub; undefined where its registry has no remote write. */
export function remoteWriteOf(hub: Pick<HubView, 'resident'>): RemoteWriteResident | undefined {
  return hub.resident(NAME) as RemoteWriteResident | undefined
}
