/**
 * The primary of a cluster: what its workers have told, and what those that ended have left. A
 * scrape asks all of them first; one that does not answer in time is there with its last values.
 */
import type { Cluster, Worker } from 'node:cluster'
import type { ExpositionFormat } from '../../exposition/negotiation.ts'
import type { Clock } from '../../time/clock.ts'
import { type MetricsBody, metricsBody } from '../metrics.ts'
import type { RegistryReadings } from '../readings/metrics-readings.ts'
import type { Reading } from '../readings/reading.ts'
import { MergedReadings } from './merged-readings.ts'
import {
  type FromPrimary,
  type FromWorker,
  opened,
  packed,
  type Row,
  readingOf,
  sealed,
} from './messages.ts'
import { standing } from './standing.ts'

/** Time for workers to answer a scrape, ms. */
const ANSWER_MS = 500

interface RowState {
  readonly head: string
  readonly value: string
  readonly count: number
}

interface Member {
  readonly worker: Worker
  readonly rows: Map<number, RowState>
  /** Turn whose values have all come. */
  told: number
}

export class Gatherer {
  readonly #cluster: Cluster
  readonly #readings: RegistryReadings
  readonly #clock: Clock
  readonly #members = new Map<number, Member>()
  readonly #departed = new MergedReadings()
  #turn = 0
  /** Called when a worker has told or has ended. */
  #onTold: () => void = () => {}
  #asking: Promise<number> | undefined

  constructor(cluster: Cluster, readings: RegistryReadings, clock: Clock) {
    this.#cluster = cluster
    this.#readings = readings
    this.#clock = clock
    cluster.on('message', this.#receive)
    cluster.on('exit', this.#depart)
  }

  close(): void {
    this.#cluster.off('message', this.#receive)
    this.#cluster.off('exit', this.#depart)
    this.#members.clear()
  }

  /** Writes the metrics of all processes; those that ask at one time share one round of asking. */
  async body(format: ExpositionFormat): Promise<MetricsBody> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    const [silent] = await Promise.all([this.#asking, this.#readings.gather()])
    const merged = new MergedReadings()
    merged.addDeparted(this.#departed.values())
    for (const reading of this.#readings.read()) merged.add(reading, 'primary')
    for (const { worker, rows } of this.#members.values()) {
      for (const { head, value } of rows.values())
        merged.add(readingOf(head, value), `${worker.id}`)
    }
    const answered = { of: 'cluster' as const, processes: this.#members.size + 1, silent }
    return metricsBody([...merged.values(), ...standing(answered)], format)
  }

  /** Asks all workers that take part for their values. @returns how many have not answered */
  async #ask(): Promise<number> {
    const turn = ++this.#turn
    const isSilent = ({ told }: Member): boolean => told < turn
    const silent = (): number => [...this.#members.values()].filter(isSilent).length
    for (const { worker } of this.#members.values()) send(worker, { kind: 'tell', turn })
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(ANSWER_MS, () => resolve())
      this.#onTold = () => {
        if (silent() > 0) return
        cancel()
        resolve()
      }
      this.#onTold()
    })
    return silent()
  }

  readonly #receive = (worker: Worker, sent: unknown): void => {
    const message = opened<FromWorker>(sent)
    if (message === undefined) return
    const member = this.#memberOf(worker)
    switch (message.kind) {
      case 'values':
        for (const id of message.gone) member.rows.delete(id)
        for (const row of message.rows) this.#take(member, row)
        return
      case 'told':
        member.told = message.turn
        this.#onTold()
        return
      case 'scrape':
        void this.body(message.format).then((body) => {
          send(worker, { kind: 'scraped', turn: message.turn, ...packed(body) })
        })
    }
  }

  #memberOf(worker: Worker): Member {
    const known = this.#members.get(worker.id)
    if (known !== undefined) return known
    const member = { worker, rows: new Map(), told: this.#turn }
    this.#members.set(worker.id, member)
    return member
  }

  /** Takes a row; of one that began anew, keeps what it had counted before. */
  #take({ rows }: Member, [id, value, count, head]: Row): void {
    const known = rows.get(id)
    const of = head ?? known?.head
    if (of === undefined) return
    if (known !== undefined && count < known.count) {
      this.#departed.addDeparted([readingOf(of, known.value)])
    }
    rows.set(id, { head: of, value, count })
  }

  readonly #depart = (worker: Worker): void => {
    const member = this.#members.get(worker.id)
    if (member === undefined) return
    this.#members.delete(worker.id)
    this.#departed.addDeparted(readingsOf(member))
    this.#onTold()
  }
}

function* readingsOf({ rows }: Member): Iterable<Reading> {
  for (const { head, value } of rows.values()) yield readingOf(head, value)
}

/** Sends to a worker that may have ended: that it has is told by its `exit`. */
function send(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(sealed(message), () => {})
}
