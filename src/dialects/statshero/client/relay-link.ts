/**
 * What a relay knows of its receiver. Over TCP a connection stands or does not; over UDP a receiver
 * is only known by its refusals, and is taken to be there once there were none for some seconds.
 */
import type { Clock } from '../../../time/clock.ts'
import { LinkState } from '../../../time/link-state.ts'
import type { ChosenPeer, Reports, Target } from '../../endpoints.ts'

/** Time without a refusal of what is sent each second, ms. */
const QUIET_MS = 3000

export class RelayLink {
  readonly #target: Target
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #link: LinkState
  /** Time of the last refusal of a datagram, by a clock that is not set; undefined without one. */
  #refusedNs: bigint | undefined

  constructor(target: Target, clock: Clock, reports: Reports) {
    this.#target = target
    this.#clock = clock
    this.#reports = reports
    this.#link = new LinkState(clock)
  }

  readonly onConnect = (): void => this.#link.connected()

  readonly onError = (error: Error, retryMs?: number): void => {
    const { message } = error
    this.#reports.log('warn', 'relay link failed, trying again', { error: message })
    this.#link.failed(message, retryMs)
    this.#refusedNs = retryMs === undefined ? this.#clock.monotonicNs() : undefined
  }

  /** Looks whether what was sent since the last refusal was taken; called once a second. */
  look(): void {
    if (this.#refusedNs === undefined) return
    if (Number(this.#clock.monotonicNs() - this.#refusedNs) / 1e6 < QUIET_MS) return
    this.#refusedNs = undefined
    this.#link.connected()
  }

  /** @param facts of what was sent */
  status(facts: ChosenPeer['facts']): ChosenPeer {
    const { transport, host: address, port } = this.#target
    const link = this.#link.status
    return { peer: { transport, address, port }, sinceMs: link.sinceMs, facts, link }
  }
}
