/** Seconds of plain cells written to an engine as a hub's relay writes them, at times of a test. */
import { Claims } from '../../../src/dialects/remotewrite/client/claims.ts'
import {
  EmittedSeries,
  type HistogramForm,
} from '../../../src/dialects/remotewrite/client/emitted-series.ts'
import { RequestWriter } from '../../../src/dialects/remotewrite/client/request-writer.ts'
import { packSnappy } from '../../../src/dialects/remotewrite/codec/snappy.ts'
import { identityKey } from '../../../src/model/index.ts'
import type { NamedCell } from '../history.ts'

/** Time after which a series that stands still is told again, as the relay has it. */
const REPEAT_MS = 15_000

export class EngineWriter {
  readonly #url: string
  readonly #hub: string
  readonly #form: HistogramForm
  readonly #requests: Uint8Array<ArrayBuffer>[] = []
  readonly #writer = new RequestWriter(({ bytes }) => this.#requests.push(packSnappy(bytes)))
  #claims: Claims
  #series = new Map<string, EmittedSeries>()

  constructor(url: string, hub: string, form: HistogramForm = 'classic') {
    this.#url = url
    this.#hub = hub
    this.#form = form
    this.#claims = new Claims(hub)
  }

  second(endS: number, cells: readonly NamedCell[]): void {
    const endMs = endS * 1000
    for (const { identity, cell } of cells) {
      const key = Buffer.from(identityKey(identity)).toString('latin1')
      let series = this.#series.get(key)
      if (series === undefined) {
        series = new EmittedSeries(this.#form, () => false, undefined)
        const told = { identity, metadata: { dialect: '' }, rules: {}, isAway: () => false }
        series.rename(this.#claims.claim(series, told) ?? [])
        this.#series.set(key, series)
      }
      series.add(cell)
      series.write(this.#writer, endMs)
    }
    for (const series of this.#series.values()) {
      if (endMs - series.sentMs >= REPEAT_MS) series.write(this.#writer, endMs)
    }
  }

  /** Forgets all totals, as a hub that starts again without a history. */
  restart(): void {
    this.#claims = new Claims(this.#hub)
    this.#series = new Map()
  }

  /** Sends what was written. */
  async send(): Promise<void> {
    this.#writer.flush()
    for (const body of this.#requests.splice(0)) {
      const headers = {
        'Content-Encoding': 'snappy',
        'Content-Type': 'application/x-protobuf',
        'X-Prometheus-Remote-Write-Version': '0.1.0',
      }
      const answer = await fetch(`${this.#url}/api/v1/write`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    }
  }
}
