/**
 * Scrape targets in a thread of their own, each of which lies in one way for as long as it is
 * asked, and an honest one beside them, whose counter the hub must have to the last digit.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import type { Address } from '../support/hub/hub-process.ts'
import { MEBIBYTE } from './crowd.ts'

const INTERVAL_MS = 2000
const ANSWER_TRIES = 60
const PAUSE_MS = 500
const HONEST = 'honest'

type Lie = (response: ServerResponse) => void

/** Writes for as long as anything is taken, a piece a turn. */
function pour(response: ServerResponse, piece: string): void {
  const write = (): void => {
    if (response.destroyed || response.socket === null) return
    if (response.write(piece)) setImmediate(write)
    else response.once('drain', write)
  }
  write()
}

let namesMade = 0
/** Texts and packed bodies that are made once. */
const MADE = {
  bomb: () => gzipSync(Buffer.alloc(64 * MEBIBYTE, '\n')),
  million: () => Array.from({ length: 1_000_000 }, (_, i) => `m{n="${i}"} 1\n`).join(''),
}
const made = new Map<string, string | Buffer>()
function body(name: keyof typeof MADE): string | Buffer {
  const known = made.get(name) ?? MADE[name]()
  made.set(name, known)
  return known
}

const LIES: Readonly<Record<string, Lie>> = {
  endless: (response) => pour(response, 'endless{n="1"} 1\n'.repeat(4000)),
  drip: (response) => {
    const timer = setInterval(() => response.write('#'), 20)
    response.on('close', () => clearInterval(timer))
  },
  bomb: (response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end(body('bomb'))
  },
  type: (response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<title>a 1\n</title>')
  },
  million: (response) => void response.end(body('million')),
  loop: (response) => void response.writeHead(302, { Location: '/loop' }).end(),
  /** Never the same names twice, each as long as one may be. */
  names: (response) => {
    const name = () => `${'n'.repeat(1000)}_${namesMade++} 1\n`
    response.end(Array.from({ length: 1000 }, name).join(''))
  },
  lengths: (response) => {
    const type = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily'
    response.setHeader('Content-Type', `${type};encoding=delimited`)
    response.end(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x07, 0x0a, 0xff, 0xff, 0xff, 0x07))
  },
}
/** Lies of which the hub reads whole answers, each by itself well. */
const TAKEN = ['names']
const PATHS = [HONEST, ...Object.keys(LIES)]

/** Gives each target an address of its own: limits by address are seen to hold for it alone. */
function hostOf(path: string): string {
  return `127.0.0.${100 + PATHS.indexOf(path)}`
}

/** Counts of answers by the path that was asked for. */
type Asked = Readonly<Record<string, number>>

export class LyingTargets {
  readonly #worker: Worker
  readonly #port: number

  private constructor(worker: Worker, port: number) {
    this.#worker = worker
    this.#port = port
  }

  static async start(): Promise<LyingTargets> {
    const worker = new Worker(new URL(import.meta.url))
    const [port] = await once(worker, 'message')
    return new LyingTargets(worker, port as number)
  }

  /** Flags of a hub that scrapes them all. */
  get flags(): readonly string[] {
    return PATHS.flatMap((path) => {
      const address = `prometheus+http://${hostOf(path)}:${this.#port}/${path}`
      return ['--attach', `${address}?job=${path}&interval=${INTERVAL_MS}ms`]
    })
  }

  /**
   * Compares what the hub says with what was done: each lie was met and is not up, the honest
   * target is, and its counter is exact. Ends the targets.
   */
  async check({ host, port }: Address, check: (isMet: boolean, what: string) => void) {
    this.#worker.postMessage('rest')
    const [asked] = (await once(this.#worker, 'message')) as [Asked]
    const wanted = new Map(Object.keys(LIES).map((path) => [path, TAKEN.includes(path) ? 1 : 0]))
    const honest = asked[HONEST]! - 1 // from 0 on: what was counted before the first is not known
    const isAsWanted = (text: string): boolean =>
      [...wanted].every(([path, up]) => valueIn(text, 'up', path) === up) &&
      valueIn(text, 'told_total', HONEST) === honest
    const text = await scrapeUntil(isAsWanted, `http://${host}:${port}/metrics`)
    for (const [path, up] of wanted) {
      const found = valueIn(text, 'up', path)
      check(found === up, `scraped, ${path}: up is ${found}, asked ${asked[path] ?? 0} times`)
      check((asked[path] ?? 0) > 0, `scraped, ${path}: the lie was heard`)
    }
    const found = valueIn(text, 'told_total', HONEST)
    check(found === honest, `scraped, ${HONEST}: counter at ${found} of ${honest}`)
    await this.#worker.terminate()
  }
}

/** Reads what a scraper of the hub sees, until it is as wanted; a busy hub answers later. */
async function scrapeUntil(isAsWanted: (text: string) => boolean, url: string): Promise<string> {
  let text = ''
  for (let left = ANSWER_TRIES; left > 0 && !isAsWanted(text); left--) {
    await setTimeout(PAUSE_MS)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) text = await answer.text()
  }
  return text
}

function valueIn(text: string, name: string, job: string): number {
  return Number(
    new RegExp(`^${name}\\{[^}\\n]*job="${job}"[^}\\n]*\\} (\\S+)`, 'm').exec(text)?.[1],
  )
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const asked: Record<string, number> = {}
  let isResting = false
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url!.slice(1).split('?')[0]!
    if (!isResting) asked[path] = (asked[path] ?? 0) + 1
    response.setHeader('Content-Type', 'text/plain')
    const lie = LIES[path]
    if (lie !== undefined) lie(response)
    else response.end(`# TYPE told counter\ntold_total ${asked[path]! - 1}\n`)
  }
  for (const name of Object.keys(MADE)) body(name as keyof typeof MADE)
  const [first, ...others] = PATHS.map(hostOf)
  const server = createServer(onRequest).listen(0, first)
  await once(server, 'listening')
  const { port: number } = server.address() as AddressInfo
  await Promise.all(
    others.map((host) => once(createServer(onRequest).listen(number, host), 'listening')),
  )
  port.postMessage(number)
  port.once('message', () => {
    isResting = true // the honest counter stands still, so that it can be compared
    port.postMessage(asked)
  })
}
