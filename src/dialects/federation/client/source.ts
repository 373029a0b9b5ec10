/**
 * A hub that this one is attached to: its seconds become part of those of the same time. It is
 * tried until it is there; who was cut off goes on behind the last second that it has got.
 */
import { Backoff } from '../../../time/backoff.ts'
import { LinkState } from '../../../time/link-state.ts'
import type { ChosenPeer, Peer, Source, SourceContext, Target } from '../../endpoints.ts'
import type { SecondSink } from '../../ingest.ts'
import type { Hello, SecondEnd } from '../codec/words.ts'
import type { FederationOptions } from '../options.ts'
import { AHEAD_MS, BEHIND_MS, QUERY, VERSION } from '../spec.ts'
import { type HubAddress, hubAddress } from './address.ts'
import { Connection, type EndReason } from './connection.ts'
import { SecondReader } from './second-reader.ts'

/**
 * Connects to a hub and keeps at it until closed.
 * @throws {TypeError} for an address that cannot be used
 */
export function connectSource(target: Target, context: SourceContext): Source {
  return new HubSource(target, hubAddress(target), context)
}

class HubSource implements Source {
  readonly #address: HubAddress
  readonly #context: SourceContext
  readonly #seconds: SecondSink
  readonly #link: LinkState
  readonly #backoff: Backoff
  readonly #peer: Peer
  /** Sources by the start of the hub that they are attached to, of all of this hub. */
  readonly #attached: Map<string, HubSource>
  #connection: Connection | undefined
  #reader: SecondReader | undefined
  #cancelRetry: () => void = () => {}
  #isClosed = false
  /** Start of the hub, and the sequence of the last second that came. */
  #start: string | undefined
  #sequence = 0
  #version = ''
  /** Time by which the other clock is behind ours, whole seconds, ms. */
  #clockShiftMs = 0
  #told = 0
  #lost = 0
  #delayMs = 0
  #endMs: number | undefined

  constructor(target: Target, address: HubAddress, context: SourceContext) {
    const { clock, options } = context
    this.#address = address
    this.#context = context
    this.#attached = context.shared(() => new Map<string, HubSource>())
    this.#peer = { transport: 'tcp', address: target.host, port: target.port }
    this.#link = new LinkState(clock)
    this.#backoff = new Backoff((options as FederationOptions).client, Math.random)
    this.#seconds = context.openSeconds()
    this.#seconds.begin(address.label)
    this.#connect()
  }

  status(): ChosenPeer {
    const { late, shifted } = this.#seconds.counts
    const link = this.#link.status
    const facts: Record<string, string | number> = {
      ...(this.#version === '' ? {} : { version: this.#version }),
      ...(this.#address.hub === undefined ? {} : { hub: this.#address.hub }),
      series: this.#reader?.size ?? 0,
      seconds: this.#told,
      late,
      lost: this.#lost,
      ...(this.#endMs === undefined ? {} : { last: timeText(this.#endMs) }),
      ...(link.isConnected && this.#told > 0 ? { delay: `${Math.round(this.#delayMs)} ms` } : {}),
      ...(this.#clockShiftMs === 0 ? {} : { clock: clockText(this.#clockShiftMs) }),
      ...(shifted === 0 ? {} : { shifted }),
    }
    return { peer: this.#peer, sinceMs: link.sinceMs, facts, link, source: this.#address.label }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    this.#connection?.stop()
    this.#release()
    this.#seconds.close()
  }

  #connect(): void {
    const { clock, reads, reports, bytesLimit } = this.#context
    const url = new URL(this.#address.url)
    if (this.#start !== undefined) {
      url.searchParams.set(QUERY.start, this.#start)
      url.searchParams.set(QUERY.after, String(this.#sequence))
    }
    this.#link.trying()
    const reader = new SecondReader({
      ...{ seconds: this.#seconds, reports, peer: this.#peer, bytesLimit },
      hub: this.#address.hub,
      hello: (hello) => this.#greeted(hello),
      second: (end) => this.#noteSecond(end),
      fail: (reason, message) => this.#connection?.end(reason, message),
    })
    this.#reader = reader
    const sink = {
      read: (bytes: Uint8Array) => reader.read(bytes),
      end: (reason: EndReason, message: string) => this.#ended(reason, message),
    }
    this.#connection = new Connection({ url, clock, reads, sink })
  }

  /** @returns the reason why it is not read */
  #greeted({ version, start, hub, nowMs, first }: Hello): string | undefined {
    const { clock, startId } = this.#context
    if (version !== VERSION) {
      return `it speaks version ${version} of the protocol, this hub ${VERSION}: update the older`
    }
    if (start === startId) return 'hub_loop: that is this hub itself'
    const other = this.#attached.get(start)
    if (other !== undefined && other !== this) {
      return `hub_twice: it is attached already, as ${other.#address.label}`
    }
    if (this.#start !== undefined) {
      const next = start === this.#start ? this.#sequence + 1 : 1
      this.#lose(first - next)
    }
    this.#attached.set(start, this)
    this.#start = start
    this.#sequence = first - 1
    this.#version = hub
    this.#clockShiftMs = clockShiftMs(clock.wallMs() - nowMs)
    this.#link.connected()
    this.#seconds.expect(true)
    this.#context.reports.log('info', 'attached to a hub', { hub: this.#address.label })
    return undefined
  }

  #noteSecond({ sequence, endMs, nowMs }: SecondEnd): number {
    this.#lose(sequence - this.#sequence - 1)
    this.#sequence = sequence
    this.#told++
    this.#backoff.reset()
    this.#delayMs = nowMs - endMs
    this.#endMs = endMs + this.#clockShiftMs
    return this.#endMs
  }

  /** Counts seconds that the hub had no more when it was asked for them. */
  #lose(seconds: number): void {
    if (seconds <= 0) return
    this.#lost += seconds
    this.#context.reports.count('seconds_lost', 'not_kept', seconds)
  }

  #release(): void {
    this.#connection = undefined
    this.#seconds.expect(false)
    if (this.#start !== undefined && this.#attached.get(this.#start) === this) {
      this.#attached.delete(this.#start)
    }
  }

  #ended(reason: EndReason, message: string): void {
    const { reports, clock } = this.#context
    const wasConnected = this.#link.status.isConnected
    this.#release()
    if (this.#isClosed) return
    reports.count(wasConnected ? 'reconnects' : 'connect_failed', reason)
    const retryMs = this.#backoff.nextMs()
    const facts = { hub: this.#address.label, reason: message, retryMs: Math.round(retryMs) }
    reports.log('warn', wasConnected ? 'a hub is gone' : 'no way to a hub', facts)
    this.#link.failed(message, retryMs)
    this.#cancelRetry = clock.after(retryMs, () => this.#connect())
  }
}

/** Decides by how much times of another hub are moved: not at all where clocks are set alike. */
function clockShiftMs(behindMs: number): number {
  if (behindMs >= BEHIND_MS) return Math.floor((behindMs + 1000 - BEHIND_MS) / 1000) * 1000
  return behindMs <= -AHEAD_MS ? Math.ceil(behindMs / 1000) * 1000 : 0
}

function clockText(shiftMs: number): string {
  return `${Math.abs(shiftMs) / 1000} s ${shiftMs > 0 ? 'behind' : 'ahead'}`
}

/** Writes a time of whole seconds as RFC 3339 has it. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
