/**
 * The hub's series as chef/estatsd would write them to Graphite (§4.8): every few seconds a line
 * `[path][" "][value][" "][unix time][LF]` for each statistic of each series that was heard of,
 * over one connection that comes back. What the original loses while Graphite is away waits here,
 * within a limit of bytes, with the time that it is of.
 */
import { setImmediate } from 'node:timers/promises'
import {
  type Cell,
  type Exact,
  type Histogram,
  type Identity,
  mergeSummaries,
  type Summary,
} from '../../../model/index.ts'
import { systemClock } from '../../../time/system-clock.ts'
import type { Task } from '../../../time/task.ts'
import type { ChosenPeer, ClientContext, Emitter, Target } from '../../endpoints.ts'
import { PacketSender, type SentCounts } from '../client/packet-sender.ts'
import { RelayLink } from '../client/relay-link.ts'
import { histogramRuns } from '../emit.ts'
import { GRAPHITE_DEFAULTS, type GraphiteOptions } from '../options.ts'
import { type Fields, meterFields, summaryFields, timerFields } from './flush.ts'
import { GraphiteKeys } from './keys.ts'

/** Bytes that are written at once: a share of a socket's buffer, or one datagram. */
const PACKET_BYTES = { tcp: 65_536, udp: 1432 } as const
/** Series of one step: a distribution of all buckets takes some 25 us. */
const SERIES_A_STEP = 8
const RECONNECT = { reconnectFirstMs: 100, reconnectLimitMs: 10_000, reconnectJitter: 0.2 }
/** Frames come at whole seconds, by half of one early or late. */
const EARLY_NS = 500_000_000n

/** Sum of what was heard of a series since the last flush. */
type Heard =
  | { readonly kind: 'meter'; sum: Exact }
  | { readonly kind: 'reader'; total: Exact }
  | { readonly kind: 'gauge'; value: Exact }
  | { readonly kind: 'timer'; readonly histogram: Histogram }
  | { readonly kind: 'summary'; summary: Summary }

export class GraphiteEmitter implements Emitter {
  readonly #context: ClientContext
  readonly #options: GraphiteOptions
  readonly #counts: SentCounts = { sent: 0, dropped: 0, lost: 0 }
  readonly #sender: PacketSender
  readonly #packetBytes: number
  readonly #link: RelayLink
  readonly #keys = new GraphiteKeys()
  #heard = new Map<Identity, Heard>()
  #startedNs: bigint
  /** Lines already reported. */
  #dropped = 0
  #lost = 0

  constructor(target: Target, context: ClientContext) {
    const { transport, host, port } = target
    const { reports, clock, options } = context
    this.#context = context
    const given = options.graphite as Partial<GraphiteOptions> | undefined
    this.#options = { ...GRAPHITE_DEFAULTS, ...given }
    this.#packetBytes = PACKET_BYTES[transport]
    this.#startedNs = clock.monotonicNs()
    const { queueBytesLimit } = this.#options
    const link = new RelayLink(target, clock, reports)
    this.#link = link
    this.#sender = new PacketSender(
      {
        ...{ transport, host, port, clock, closeClock: systemClock, ...RECONNECT },
        ...{ queueBytesLimit, queueLinesLimit: Number.POSITIVE_INFINITY },
        onConnect: link.onConnect,
        onError: link.onError,
      },
      this.#counts,
    )
    this.#sender.start()
  }

  send(identity: Identity, cell: Cell, total: Exact | undefined): void {
    const heard = this.#heard.get(identity)
    if (heard === undefined) this.#heard.set(identity, firstHeard(identity, cell, total))
    else hearMore(heard, cell, total)
  }

  status(): ChosenPeer {
    const { sent, dropped, lost } = this.#counts
    return this.#link.status({ sent, dropped: dropped + lost })
  }

  /** Writes a flush when it is due; called at the end of every second. */
  *flush(): Task {
    this.#link.look()
    const dueNs = this.#startedNs + BigInt(this.#options.flushIntervalS) * 1_000_000_000n
    if (this.#context.clock.monotonicNs() + EARLY_NS >= dueNs) yield* this.#write()
    this.#report()
  }

  /** Writes what was heard since the last flush; what can't be sent in a second is lost. */
  async close(): Promise<void> {
    for (const _ of this.#write()) await setImmediate()
    await this.#sender.close()
    this.#report()
  }

  *#write(): Task {
    const { clock } = this.#context
    const nowNs = clock.monotonicNs()
    // a late flush is of a longer time
    const seconds = Math.max(1, Math.round(Number(nowNs - this.#startedNs) / 1e9))
    const timeText = String(Math.floor(clock.wallMs() / 1000))
    const heard = this.#heard
    this.#startedNs = nowNs
    if (heard.size === 0) return
    this.#heard = new Map()
    const packet = new LinePacket(this.#packetBytes, timeText, this.#sender)
    let written = 0
    for (const [identity, each] of heard) {
      const key = this.#keys.of(identity)
      for (const [path, value] of this.#fieldsOf(key, each, seconds)) this.#add(packet, path, value)
      if (++written % SERIES_A_STEP === 0) yield
    }
    packet.add('statsd.numStats', written)
    packet.end()
  }

  #add(packet: LinePacket, path: string, value: Exact): void {
    if (typeof value === 'bigint' || Number.isFinite(value)) packet.add(path, value)
    else this.#context.reports.count('emit', 'not_finite')
  }

  #fieldsOf(key: string, heard: Heard, seconds: number): Fields {
    const { underFive } = this.#options
    switch (heard.kind) {
      case 'meter':
        return meterFields(key, heard.sum, seconds)
      case 'reader':
        return [[`stats.readers.${key}`, heard.total]]
      case 'gauge':
        return [[`stats.gauges.${key}`, heard.value]]
      case 'timer': {
        const { histogram } = heard
        const runs = histogramRuns(histogram)
        return runs.length === 0
          ? []
          : underTimers(key, timerFields(runs, histogram.mean(), underFive))
      }
      case 'summary':
        return heard.summary.count === 0
          ? []
          : underTimers(key, summaryFields(heard.summary, underFive))
    }
  }

  #report(): void {
    const { reports } = this.#context
    const { dropped, lost } = this.#counts
    if (dropped > this.#dropped) reports.count('emit', 'queue_full', dropped - this.#dropped)
    if (lost > this.#lost) reports.count('emit', 'link_failed', lost - this.#lost)
    this.#dropped = dropped
    this.#lost = lost
  }
}

function underTimers(key: string, fields: Fields): Fields {
  return fields.map(([name, value]) => [`stats.timers.${key}.${name}`, value])
}

function firstHeard(identity: Identity, cell: Cell, total: Exact | undefined): Heard {
  switch (cell.kind) {
    case 'counter':
      return identity.qualifier?.[1] === 'mr'
        ? { kind: 'reader', total: total ?? cell.delta }
        : { kind: 'meter', sum: cell.delta }
    case 'gauge':
      return { kind: 'gauge', value: cell.value }
    case 'histogram':
      return { kind: 'timer', histogram: cell.histogram.clone() }
    case 'summary':
      return { kind: 'summary', summary: cell.summary }
  }
}

function hearMore(heard: Heard, cell: Cell, total: Exact | undefined): void {
  if (heard.kind === 'meter' && cell.kind === 'counter') heard.sum = plus(heard.sum, cell.delta)
  else if (heard.kind === 'reader') heard.total = total ?? heard.total
  else if (heard.kind === 'gauge' && cell.kind === 'gauge') heard.value = cell.value
  else if (heard.kind === 'timer' && cell.kind === 'histogram') {
    heard.histogram.mergeFrom(cell.histogram)
  } else if (heard.kind === 'summary' && cell.kind === 'summary') {
    heard.summary = mergeSummaries(heard.summary, cell.summary)
  }
}

/** Adds without rounding where both are whole. */
function plus(a: Exact, b: Exact): Exact {
  const sum = Number(a) + Number(b)
  if (typeof a === 'number' && typeof b === 'number' && Math.abs(sum) <= Number.MAX_SAFE_INTEGER) {
    return sum
  }
  const isWhole = (value: Exact) => typeof value === 'bigint' || Number.isInteger(value)
  return isWhole(a) && isWhole(b) ? BigInt(a) + BigInt(b) : sum
}

/** Lines that will leave together; a line is never split. */
class LinePacket {
  readonly #bytesMax: number
  readonly #end: string
  readonly #sender: PacketSender
  #text = ''
  #lines = 0

  constructor(bytesMax: number, timeText: string, sender: PacketSender) {
    this.#bytesMax = bytesMax
    this.#end = ` ${timeText}\n`
    this.#sender = sender
  }

  /** @param path ASCII, as cleaning leaves it */
  add(path: string, value: Exact): void {
    const line = `${path} ${value}${this.#end}`
    if (this.#text.length + line.length > this.#bytesMax) this.end()
    this.#text += line
    this.#lines++
  }

  end(): void {
    if (this.#lines === 0) return
    this.#sender.push(Buffer.from(this.#text, 'latin1'), this.#lines)
    this.#sender.limit()
    this.#text = ''
    this.#lines = 0
  }
}
