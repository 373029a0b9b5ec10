/**
 * The answers to scrapers. The server gives them itself, without the app: that takes a tenth of a
 * second to load, and megabytes for Node's fetch, which a hub that is only scraped does without.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { acceptsGzip, negotiate } from '../../../exposition/negotiation.ts'
import { hostCheck } from '../../../host-check.ts'
import type { HubView } from '../../../hub/view.ts'
import { monotonicMs } from '../../../time/clock.ts'
import { HttpError } from '../../http-error.ts'
import type { HttpReports } from '../../limits.ts'
import type { HeavyAnswers, Place } from '../../load/heavy-answers.ts'
import { chunksOf, rejoined } from '../../pieces.ts'
import { SECURITY_HEADERS } from '../../security.ts'
import type { Exposition } from './exposition.ts'

const PATH = '/metrics'
/** Headers by which browsers say who asks; what may be asked then is the app's to say. */
const CALLER_HEADERS = ['origin', 'sec-fetch-site', 'sec-fetch-mode'] as const

/** Header by which scrapers say how long they wait, s: Prometheus and its kin. */
const TIMEOUT_HEADER = 'x-prometheus-scrape-timeout-seconds'
/** Share of that time after which an answer ends, durable or not, and the most of it, ms. */
const HELD_SHARE = 0.75
const HELD_MS_LIMIT = 15_000

interface ScrapesParts {
  readonly view: Pick<HubView, 'clock' | 'durable'>
  readonly exposition: Exposition
  readonly answers: HeavyAnswers
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly reports: HttpReports
}

export class Scrapes {
  readonly #parts: ScrapesParts
  readonly #isAllowed: (host: string) => boolean

  constructor(parts: ScrapesParts) {
    this.#parts = parts
    this.#isAllowed = hostCheck(parts.host, parts.allowedHosts)
  }

  /** @returns false for what is no scrape, or has to pass the app's guards: it is untouched */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> | false {
    const { method, url = '', headers } = incoming
    if (url !== PATH && !url.startsWith(`${PATH}?`)) return false
    if (method !== 'GET' && method !== 'HEAD') return false
    if (CALLER_HEADERS.some((name) => headers[name] !== undefined)) return false
    return this.#isAllowed(headers.host ?? '') && this.#answer(incoming, outgoing)
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { reports } = this.#parts
    try {
      await this.write(incoming, outgoing)
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      reports.count('refused', error.code)
      refuse(outgoing, error)
    }
    reports.count('requests', `${PATH} ${outgoing.statusCode}`)
  }

  /**
   * Writes the answer, no faster than the scraper takes it. A scraper that says how long it waits
   * gets the end when all totals in it are durable: without it a scrape counts for nothing.
   * @throws {HttpError} 503 where there is no place for it; nothing is written then
   */
  async write({ method, headers }: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { view, exposition, answers } = this.#parts
    const heldUntilMs = monotonicMs(view.clock) + heldMs(headersText(headers[TIMEOUT_HEADER]))
    const { format, style, contentType } = negotiate(headers.accept, exposition.style)
    const head: Record<string, string | number> = {
      ...SECURITY_HEADERS,
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      Vary: 'Accept, Accept-Encoding',
    }
    if (method === 'HEAD') {
      outgoing.writeHead(200, head).end()
      return
    }
    const isPacked = acceptsGzip(headersText(headers['accept-encoding']))
    const compression = isPacked ? await import('../../compression.ts') : undefined
    const place = await answers.enter(outgoing)
    const made = chunksOf(exposition.pieces(format, style), place)
    const chunks = withLastAfter(made, () => this.#untilDurable(heldUntilMs, place))
    const leave = (): void => void chunks.return(undefined)
    outgoing.once('close', leave)
    const first = await chunks.next()
    const second = first.done ? first : await chunks.next()
    if (second.done) {
      const bytes = new Uint8Array(first.value ?? [])
      const isLarge = compression !== undefined && bytes.length >= compression.GZIP_FROM_BYTES
      const body = isLarge ? await compression.compress(bytes) : bytes
      if (body !== bytes) head['Content-Encoding'] = 'gzip'
      outgoing.writeHead(200, { ...head, 'Content-Length': body.length }).end(body)
      return
    }
    const all = rejoined([first.value!, second.value], chunks)
    if (compression !== undefined) head['Content-Encoding'] = 'gzip'
    outgoing.writeHead(200, head)
    outgoing.off('close', leave) // it is the pipeline's to see
    // a scraper that leaves ends it, which is no fault of the hub
    await pipeline(Readable.from(compression?.gzipped(all) ?? all), outgoing).catch(() => {})
  }

  /** Waits until all that was read is durable, and counts where it can't be in time. */
  async #untilDurable(untilMs: number, place: Place): Promise<void> {
    const { view, reports } = this.#parts
    const leftMs = untilMs - monotonicMs(view.clock)
    if (leftMs <= 0 || view.durable === undefined) return
    // the last chunk takes no room that others need, and it is not the client that is slow
    place.leave()
    if (!(await view.durable.reach(leftMs))) reports.count('scrapes', 'not_durable')
  }
}

/** Computes how long an answer may be held, ms, by what the scraper says of its patience. */
function heldMs(timeoutS: string | undefined): number {
  const ms = Number(timeoutS) * 1000 * HELD_SHARE
  return ms > 0 ? Math.min(ms, HELD_MS_LIMIT) : 0
}

/** Hands on all chunks, the last one when something is done that is begun behind its making. */
async function* withLastAfter(
  chunks: AsyncIterable<Uint8Array>,
  isDone: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (last !== undefined) yield last
    last = chunk
  }
  await isDone()
  if (last !== undefined) yield last
}

function refuse(outgoing: ServerResponse, { status, code, message, hint, headers }: HttpError) {
  const body = JSON.stringify({ error: { code, message, hint } })
  outgoing
    .writeHead(status, {
      ...SECURITY_HEADERS,
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body)
}

function headersText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join() : value
}
