/**
 * Pushes a registry's totals by OTLP/HTTP, interval after interval. Nothing waits in a queue: what
 * is sent are totals, so that a push that failed is made good by the next one. A hub that was away,
 * and knows nothing any more, is told again where it stood before it is told where it stands, so
 * that what was counted in between is neither lost nor counted twice.
 */

import { readAnswer } from '../../dialects/opentelemetry/client/answer.ts'
import { JSON_TYPE, PROTOBUF_TYPE } from '../../dialects/opentelemetry/spec.ts'
import { Delivery, type DeliveryFormat, type Outcome } from '../../peers/delivery.ts'
import type { Clock } from '../../time/clock.ts'
import type { RegistryReadings } from '../readings/metrics-readings.ts'
import { identityText, type Reading } from '../readings/reading.ts'
import { errorText } from '../reports.ts'
import type { Fresh, PointTimes } from './otlp-metrics.ts'
import type { Encoding, PushPlan } from './push-options.ts'

/** State of a connection, and numbers of what it has sent. */
export interface PushStatus {
  /** `off` where the environment says that nothing is sent, and after {@link Connection.close}. */
  readonly state: 'starting' | 'sending' | 'failing' | 'off'
  /** Address without secrets. */
  readonly url: string
  /** Reason why it fails, and what to do. */
  readonly problem?: string
  /** Number of points that were taken. */
  readonly points: number
  /** Number of points that the receiver would not take. */
  readonly pointsLost: number
}

/**
 * Pushes of a program's metrics, until they are closed.
 * @example
 * ```ts
 * import { connect, counter } from 'pentameter'
 *
 * const connection = connect('pentameter://127.0.0.1')
 * counter('store.visits').add()
 * await connection.close() // sends what is left; without it the last second may be missing
 * console.log(connection.status.state) // off
 * ```
 */
export interface Connection {
  readonly status: PushStatus
  /** Sends how things stand now. @returns whether all of it was taken; never rejects */
  flush(): Promise<boolean>
  /** Sends what is left, in 3 s at most, and ends; never rejects. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Readings of one push. */
interface Standing {
  readonly readings: readonly Reading[]
  readonly times: PointTimes
  /** Identities of the series. */
  readonly series: ReadonlySet<string>
}

interface PushParts {
  readonly readings: RegistryReadings
  readonly clock: Clock
  /** Gets each thing that is wrong, once. */
  readonly log: (message: string) => void
  /** Unix ms since when totals count. */
  readonly startMs: number
  readonly onClose?: () => void
}

const CLOSE_GRACE_MS = 3000
const HINTS: Readonly<Record<number, string>> = {
  400: 'the receiver does not understand it: see its log',
  401: 'give it "headers" with an authorization',
  403: 'give it "headers" with an authorization',
  404: 'give the path: most receivers take /v1/metrics',
  405: 'give the path: most receivers take /v1/metrics',
  413: 'raise the limit of bodies at the receiver to 4 MiB',
}

/** Format of the requests, which http/export/otlp/format.ts has for a hub's configuration. */
function formatOf(encoding: Encoding): DeliveryFormat {
  return {
    contentType: encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE,
    hints: HINTS,
    unreachableHint: 'see whether it runs there; a hub is started by `pentameter serve`',
    overloadedHint: 'the receiver asks for less: raise intervalMs if this goes on',
    readAnswer,
  }
}

export class OtlpPush implements Connection {
  readonly #plan: PushPlan
  readonly #parts: PushParts
  readonly #delivery: Delivery
  readonly #hurry = new AbortController()
  readonly #abort = new AbortController()
  readonly #cancels: (() => void)[] = []
  #run: Promise<boolean> | undefined
  #state: PushStatus['state'] = 'starting'
  #problem: string | undefined
  #rejection: string | undefined
  #points = 0
  #pointsLost = 0
  /** Push that was taken whole last; only for hubs. */
  #stood: Standing | undefined

  constructor(plan: PushPlan, parts: PushParts) {
    this.#plan = plan
    this.#parts = parts
    const { clock } = parts
    // a hub that is not there is asked again with newer totals, once it was told where it stood
    if (plan.isHub) this.#hurry.abort()
    const signals = { hurry: this.#hurry.signal, signal: this.#abort.signal }
    this.#delivery = new Delivery(plan, formatOf(plan.encoding), {
      ...{ clock, random: Math.random, ...signals, retried: () => {} },
    })
    if (plan.isOn) this.#wait()
    else this.#state = 'off'
  }

  get status(): PushStatus {
    const { origin, pathname } = new URL(this.#plan.url)
    const problem = this.#problem === undefined ? {} : { problem: this.#problem }
    return {
      ...{ state: this.#state, url: origin + pathname, ...problem },
      ...{ points: this.#points, pointsLost: this.#pointsLost },
    }
  }

  /** Waits for the next moment of the grid, on which all processes send what they have. */
  #wait(): void {
    const { intervalMs } = this.#plan
    const { clock } = this.#parts
    const leftMs = intervalMs - (clock.wallMs() % intervalMs)
    this.#cancels[0] = clock.after(leftMs, () => {
      this.#wait()
      // a push that is not finished has newer totals behind it soon
      if (this.#run === undefined) void this.flush()
    })
  }

  async flush(): Promise<boolean> {
    if (this.#state === 'off') return false
    while (this.#run !== undefined) await this.#run
    this.#run = this.#push().finally(() => {
      this.#run = undefined
    })
    return this.#run
  }

  async close(): Promise<void> {
    if (this.#state === 'off') return
    for (const cancel of this.#cancels) cancel()
    this.#hurry.abort()
    const cancel = this.#parts.clock.after(CLOSE_GRACE_MS, () => this.#abort.abort())
    await this.flush()
    cancel()
    this.#state = 'off'
    this.#stood = undefined
    this.#parts.onClose?.()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #push(): Promise<boolean> {
    try {
      return await this.#send()
    } catch (error) {
      this.#fail(`the metrics can't be sent: ${errorText(error)}`)
      return false
    }
  }

  async #send(): Promise<boolean> {
    const { readings, clock, startMs } = this.#parts
    // It is told where it stood only when it may have forgotten: after a failure.
    if (this.#state === 'failing' && !(await this.#remind())) return false
    // loaded with the first push: most programs show themselves otherwise
    const { otlpBatches } = await import('./otlp-metrics.ts')
    const { encoding, resource, isHub } = this.#plan
    await readings.gather()
    const times = { startMs, timeMs: clock.wallMs() }
    const all = readings.read()
    let isTaken = true
    for (const { body, points } of otlpBatches(all, resource, times, encoding, this.#fresh())) {
      const outcome = await this.#delivery.send(body)
      if (!this.#account(outcome, points)) isTaken = false
      if (outcome.kind === 'failed') return false
    }
    if (!isTaken) return false
    if (isHub) this.#stood = { readings: all, times, series: new Set(all.map(identityText)) }
    if (this.#state === 'failing') this.#parts.log(`metrics reach ${this.status.url} again`)
    this.#state = 'sending'
    this.#problem = undefined
    return true
  }

  /** Tells which series were not there at the push that a hub took last. */
  #fresh(): Fresh | undefined {
    if (this.#stood === undefined) return undefined
    const { series, times } = this.#stood
    return { sinceMs: times.timeMs, isFresh: (reading) => !series.has(identityText(reading)) }
  }

  /** Says once more how things stood, without anything that was new then. */
  async #remind(): Promise<boolean> {
    if (this.#stood === undefined) return true
    const { otlpBatches } = await import('./otlp-metrics.ts')
    const { readings, times } = this.#stood
    const { resource, encoding } = this.#plan
    for (const { body } of otlpBatches(readings, resource, times, encoding)) {
      const outcome = await this.#delivery.send(body)
      if (outcome.kind !== 'failed') continue
      this.#fail(`${outcome.cause}; ${outcome.hint}`)
      return false
    }
    return true
  }

  /** @returns whether the receiver took the request */
  #account(outcome: Outcome, points: number): boolean {
    if (outcome.kind !== 'taken') {
      this.#fail(`${outcome.cause}; ${outcome.hint}`)
      if (outcome.kind === 'refused') this.#pointsLost += points
      return false
    }
    const rejected = Math.min(Math.max(outcome.rejectedPoints, 0), points)
    this.#points += points - rejected
    this.#pointsLost += rejected
    if (rejected > 0 && this.#rejection !== outcome.message) {
      this.#rejection = outcome.message
      this.#parts.log(`${rejected} points were not taken: ${outcome.message}`)
    }
    return true
  }

  #fail(problem: string): void {
    this.#state = 'failing'
    if (this.#problem === problem) return
    this.#problem = problem
    this.#parts.log(`metrics don't reach ${this.status.url}: ${problem}`)
  }
}
