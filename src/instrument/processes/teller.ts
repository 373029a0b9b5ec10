/**
 * A worker of a cluster: it tells the primary what has changed, each second and when it is asked,
 * and asks for the text of all. One whose primary does not answer (PM2 has its own) says what it
 * has itself, and that this is all.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { ExpositionFormat } from '../../exposition/negotiation.ts'
import type { Clock } from '../../time/clock.ts'
import { type MetricsBody, metricsBody } from '../metrics.ts'
import type { RegistryReadings } from '../readings/metrics-readings.ts'
import { identityText, type Reading } from '../readings/reading.ts'
import {
  countOf,
  type FromPrimary,
  type FromWorker,
  headText,
  opened,
  type Row,
  sealed,
  unpacked,
  valueText,
} from './messages.ts'
import { standing } from './standing.ts'

/** Pause between two reports, ms: what a process that is killed may lose. */
const REPORT_MS = 1000
/** Time for the primary to answer, ms: it gives the other workers 500. */
const ANSWER_MS = 1000

interface SentRow {
  readonly id: number
  readonly isGauge: boolean
  description: CounterDescription
  value: string
}

export class Teller {
  readonly #readings: RegistryReadings
  readonly #clock: Clock
  /** Identities by descriptions, which stay the same objects. */
  readonly #keys = new WeakMap<CounterDescription, string>()
  /** Rows that the primary has, by identity. */
  readonly #told = new Map<string, SentRow>()
  readonly #waiting = new Map<number, (body: MetricsBody) => void>()
  #nextId = 0
  #turn = 0
  #cancel: () => void = () => {}

  constructor(readings: RegistryReadings, clock: Clock) {
    this.#readings = readings
    this.#clock = clock
    process.on('message', this.#receive)
    process.on('beforeExit', this.#tell)
    process.on('exit', this.#tell)
    this.#send({ kind: 'values', rows: [], gone: [] }) // it takes part, and is to be asked
    this.#report()
  }

  close(): void {
    this.#tell()
    this.#cancel()
    process.off('message', this.#receive)
    process.off('beforeExit', this.#tell)
    process.off('exit', this.#tell)
  }

  /** Writes the metrics of all processes; of this one alone where the primary does not answer. */
  async body(format: ExpositionFormat): Promise<MetricsBody> {
    const turn = ++this.#turn
    const body = await new Promise<MetricsBody | undefined>((resolve) => {
      const cancel = this.#clock.after(ANSWER_MS, () => resolve(undefined))
      this.#waiting.set(turn, (answer) => {
        cancel()
        resolve(answer)
      })
      this.#send({ kind: 'scrape', turn, format })
    })
    this.#waiting.delete(turn)
    if (body !== undefined) return body
    await this.#readings.gather()
    const alone = standing({ of: 'process', processes: 1, silent: 0 })
    return metricsBody([...this.#readings.read(), ...alone], format)
  }

  #report(): void {
    void this.#readings.gather()
    this.#tell()
    this.#cancel = this.#clock.after(REPORT_MS, () => this.#report())
  }

  readonly #tell = (): void => {
    const rows: Row[] = []
    const present = new Set<string>()
    for (const reading of this.#readings.read()) {
      let key = this.#keyOf(reading)
      while (present.has(key)) key += '+' // several that are called alike
      present.add(key)
      const row = this.#rowOf(key, reading)
      if (row !== undefined) rows.push(row)
    }
    // What counts stays with the primary: an instrument that is made anew goes on.
    const gone = [...this.#told].filter(([key, { isGauge }]) => isGauge && !present.has(key))
    for (const [key] of gone) this.#told.delete(key)
    if (rows.length === 0 && gone.length === 0) return
    this.#send({ kind: 'values', rows, gone: gone.map(([, { id }]) => id) })
  }

  #keyOf(reading: Reading): string {
    const { description } = reading
    const known = this.#keys.get(description)
    if (known !== undefined) return known
    const key = identityText(reading)
    this.#keys.set(description, key)
    return key
  }

  #rowOf(key: string, reading: Reading): Row | undefined {
    const value = valueText(reading)
    const count = countOf(reading)
    const { description } = reading
    const told = this.#told.get(key)
    if (told === undefined) {
      const id = this.#nextId++
      this.#told.set(key, { id, isGauge: reading.kind === 'gauge', description, value })
      return [id, value, count, headText(reading)]
    }
    const isNew = told.description !== description
    if (told.value === value && !isNew) return undefined
    told.value = value
    told.description = description
    return isNew ? [told.id, value, count, headText(reading)] : [told.id, value, count]
  }

  readonly #receive = (sent: unknown): void => {
    const message = opened<FromPrimary>(sent)
    if (message?.kind === 'scraped') this.#waiting.get(message.turn)?.(unpacked(message))
    if (message?.kind !== 'tell') return
    const tell = (): void => {
      this.#tell()
      this.#send({ kind: 'told', turn: message.turn })
    }
    const gathering = this.#readings.gather()
    if (gathering === undefined) tell()
    else void gathering.then(tell)
  }

  #send(message: FromWorker): void {
    if (process.connected) process.send?.(sealed(message), undefined, undefined, () => {})
  }
}
