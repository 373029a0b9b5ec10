/**
 * One target, scraped at its interval until it is closed. Scrapes begin on a grid that does not
 * drift; where one takes longer than the grid allows, the next waits for it. After each of them the
 * hub is told, as by Prometheus: whether the target was up, how long it took, and how much came.
 */
import { Readable } from 'node:stream'
import { type Identity, identityKey, keyedHash, sortLabels } from '../../../model/index.ts'
import { addressText } from '../../../model/text/address.ts'
import { LinkState } from '../../../time/link-state.ts'
import { PartedWork } from '../../../time/parts.ts'
import type { Task } from '../../../time/task.ts'
import type { ChosenPeer, Peer, Source, SourceContext } from '../../endpoints.ts'
import type { Format } from '../codec/formats.ts'
import type { ScrapingOptions } from '../options.ts'
import { NAME } from '../spec.ts'
import type { ScrapeTarget } from './address.ts'
import { Fetch } from './fetch.ts'
import { Receiver, type Taken } from './receiver.ts'

/** Longest pause before the first scrape: those of many targets do not all begin at once. */
const SPREAD_MS = 1000
/** Series that tell of scrapes, with what people read of them. */
const TOLD = {
  up: 'Whether the last scrape of the target went well',
  scrape_duration_seconds: 'Time that the last scrape took',
  scrape_samples_scraped: 'Samples that the target exposed',
  scrape_samples_post_metric_relabeling: 'Samples that were left by the rules for them',
  scrape_series_added: 'Series that were new in the last scrape',
} as const
type ToldName = keyof typeof TOLD
const TOLD_NAMES = Object.keys(TOLD) as ToldName[]
const KEY_TYPE_TOLD = 4

export class Scraper implements Source {
  readonly #target: ScrapeTarget
  readonly #context: SourceContext
  readonly #onClose: () => void
  readonly #link: LinkState
  readonly #peer: Peer
  readonly #receiver: Receiver
  readonly #sinceMs: number
  /** Begin of the next scrape on the grid, ns of the monotonic clock. */
  #dueNs: bigint
  #cancel: () => void = () => {}
  #fetch: Fetch | undefined
  /** Body that is being read, as a stream of one piece: reads of all peers share their budget. */
  #body: Readable | undefined
  #isClosed = false
  #scrapes = 0
  #failed = 0
  #lastSamples = 0

  constructor(target: ScrapeTarget, context: SourceContext, onClose: () => void) {
    this.#target = target
    this.#onClose = onClose
    this.#context = context
    const { clock, ingest, reports, bytesLimit } = context
    const { samplesLimit, labelsLimit } = context.options as ScrapingOptions
    this.#link = new LinkState(clock)
    this.#sinceMs = clock.wallMs()
    this.#peer = { transport: 'tcp', address: target.host, port: target.port }
    this.#receiver = new Receiver({
      ...{ target, ingest, reports, bytesLimit, samplesLimit, labelsLimit },
      ...{ peer: this.#peer, sinceMs: this.#sinceMs },
    })
    const delayMs = spreadOf(target) * Math.min(SPREAD_MS, target.intervalMs)
    this.#dueNs = clock.monotonicNs() + BigInt(Math.round(delayMs * 1e6))
    this.#cancel = clock.after(delayMs, () => this.#scrape())
  }

  status(): ChosenPeer {
    const { url, instance, labels, intervalMs } = this.#target
    const facts = {
      ...{ url: url.href, job: labels.get('job') ?? '', interval: `${intervalMs / 1000} s` },
      ...{ scrapes: this.#scrapes, failed: this.#failed },
      ...{ samples: this.#lastSamples, series: this.#receiver.size },
    }
    const link = this.#link.status
    return { peer: this.#peer, sinceMs: link.sinceMs, facts, link, source: instance }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClose()
    this.#cancel()
    this.#fetch?.stop()
    this.#body?.destroy()
  }

  #scrape(): void {
    const { clock, options } = this.#context
    const { url, timeoutMs } = this.#target
    const { bodyBytesLimit, nativeHistograms } = options as ScrapingOptions
    const beganMs = clock.wallMs()
    const beganNs = clock.monotonicNs()
    if (this.#scrapes === 0) this.#introduce()
    this.#link.trying()
    this.#fetch = new Fetch({ url, timeoutMs, bodyBytesLimit, nativeHistograms }, clock, {
      body: (bytes, format) => this.#read(bytes, format, beganMs, beganNs),
      fail: ({ reason, message }) => {
        this.#context.reports.count('scrapes_failed', reason)
        this.#end(message, undefined, beganNs)
      },
    })
  }

  #read(bytes: Uint8Array, format: Format, beganMs: number, beganNs: bigint): void {
    const { reads } = this.#context
    const body = new Readable({ read() {}, highWaterMark: bytes.length + 1 })
    const work = new PartedWork(reads)
    this.#body = body
    reads.share(body, `${NAME} ${addressText(this.#peer.address, this.#peer.port)}`, () => {
      body.on('data', () => work.begin(this.#take(bytes, format, beganMs, beganNs)))
      return work
    })
    // an empty piece would not be one
    body.push(bytes.length === 0 ? Uint8Array.of(0) : bytes)
  }

  *#take(bytes: Uint8Array, format: Format, beganMs: number, beganNs: bigint): Task {
    const taken = yield* this.#receiver.take(bytes, format, beganMs)
    this.#body?.destroy()
    this.#body = undefined
    if (this.#isClosed) return
    const { failure } = taken
    if (failure !== undefined) this.#context.reports.count('scrapes_failed', failure)
    this.#end(failure === undefined ? undefined : failureText(failure), taken, beganNs)
  }

  /** Ends a scrape, well where there is no message, and waits for the next. */
  #end(message: string | undefined, taken: Taken | undefined, beganNs: bigint): void {
    const { clock } = this.#context
    const nowNs = clock.monotonicNs()
    const isUp = message === undefined
    this.#fetch = undefined
    this.#scrapes++
    if (!isUp) this.#failed++
    this.#lastSamples = taken?.samples ?? 0
    if (!isUp) this.#receiver.lose()
    this.#tell({
      up: isUp ? 1 : 0,
      scrape_duration_seconds: Number(nowNs - beganNs) / 1e9,
      scrape_samples_scraped: taken?.samples ?? 0,
      scrape_samples_post_metric_relabeling: taken?.kept ?? 0,
      scrape_series_added: isUp ? (taken?.added ?? 0) : 0,
    })
    const intervalNs = BigInt(this.#target.intervalMs) * 1_000_000n
    this.#dueNs += intervalNs
    // whole intervals that went by meanwhile are left out
    if (this.#dueNs < nowNs) this.#dueNs += ((nowNs - this.#dueNs) / intervalNs) * intervalNs
    const pauseMs = Math.max(0, Number(this.#dueNs - nowNs) / 1e6)
    if (message === undefined) this.#link.connected()
    else this.#link.failed(message, pauseMs)
    this.#cancel = clock.after(pauseMs, () => this.#scrape())
  }

  #tell(values: Readonly<Record<ToldName, number>>): void {
    const { ingest } = this.#context
    this.#beginTelling()
    for (const name of TOLD_NAMES) ingest.set(this.#slotOf(name), values[name])
  }

  /**
   * Makes room for what is told of the target, before it has shown anything: one that brings more
   * series than it may is still told to be up, or not.
   */
  #introduce(): void {
    this.#beginTelling()
    for (const name of TOLD_NAMES) this.#slotOf(name)
  }

  /** Tells in the hub's own name: with a target that is down its series go, but not its `up`. */
  #beginTelling(): void {
    this.#context.ingest.begin(`${this.#target.instance} (scrapes)`)
  }

  #slotOf(name: ToldName): number {
    const labels = sortLabels(this.#target.labels)
    const identity: Identity = { name, kind: 'gauge', labels }
    const metadata = { dialect: NAME, type: 'gauge', description: TOLD[name] }
    const key = identityKey(identity)
    const hash = keyedHash(key, 0, key.length)
    const describe = () => ({ identity, metadata })
    return this.#context.ingest.slot(key, 0, key.length, KEY_TYPE_TOLD, hash, describe)
  }
}

function failureText(code: string): string {
  const TEXTS: Readonly<Record<string, string>> = {
    cut_off: 'the answer does not end as it should',
    samples_limit: 'the answer has more samples than scraping.samplesLimit',
    bad_protobuf: 'a length in the answer leads out of it',
    bad_line: 'the answer has no line that can be read',
  }
  return TEXTS[code] ?? code
}

/** Gives a number in [0, 1) that is the same for a target whenever it is asked for. */
function spreadOf({ url, labels }: ScrapeTarget): number {
  const key = new TextEncoder().encode(`${url.href} ${labels.get('job')}`)
  return (keyedHash(key, 0, key.length) >>> 8) / 2 ** 24
}
