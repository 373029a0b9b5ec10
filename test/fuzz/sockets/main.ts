/**
 * npm run fuzz -- --sockets [--seconds N] [--seed S]
 *
 * Starts a hub in a process of its own with a heap of 512 MB, beside neighbours that count, and
 * feeds it generated inputs through sockets: every port by TCP and UDP, and hostile servers that it
 * attaches to. In the end it must live, have counted errors, and have let nothing grow: the
 * neighbour's lines are exact, descriptors and memory are what they were.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Neighbours } from '../../siege/neighbours.ts'
import { type Address, startHubProcessWith } from '../../support/hub/hub-process.ts'
import type { Verdict } from '../engine/campaign.ts'
import type { FuzzTarget } from '../target.ts'
import { answerByHttp, answerByTcp, Inputs, sendByHttp, sendByTcp, sendByUdp } from './peers.ts'

const HEAP_FLAG = '--max-old-space-size=512'
const RSS_LIMIT_MB = 1200
const PROBE_LIMIT_MS = 5000
const UDP_LOSS_LIMIT = 0.02
/** Connections and files that come and go with the hub's own work. */
const DESCRIPTORS_MARGIN = 40
const SETTLE_MS = 4000
const ANSWER_TRIES = 60

/** Feeds a hub for so long; the verdict counts what was checked. */
export async function fuzzSockets(
  targets: readonly FuzzTarget[],
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
  print: (line: string) => void,
): Promise<Verdict> {
  const inputs = new Map(targets.map((target) => [target.name, new Inputs(target, seed)]))
  const of = (name: string): Inputs => inputs.get(name)!
  const servers = await Promise.all([answerByTcp(of('scope')), answerByHttp(of('eventcounters'))])
  const [scope, counters] = servers.map(({ port }) => `127.0.0.1:${port}`)
  const hub = await startHubProcessWith(
    { execArgv: [HEAP_FLAG] },
    ...['serve', '--attach', `scope://${scope}`, '--attach', `http://${counters}/`],
  )
  const { text, stream, http } = hub.listeners
  const neighbours = new Neighbours(hub.listeners)
  neighbours.start()
  await setTimeout(SETTLE_MS)
  const before = descriptorsOf(hub.pid)
  const stop = new AbortController()
  const sending = [
    sendByTcp(text, of('statshero'), stop.signal),
    sendByUdp(text, of('statshero'), stop.signal),
    sendByTcp(stream, of('wallaroo'), stop.signal),
    sendByTcp(stream, of('scope-settings'), stop.signal),
    sendByTcp(text, of('wallaroo'), stop.signal),
    sendByTcp(stream, of('statshero'), stop.signal),
    sendByHttp(http, of('eventcounters-query'), stop.signal),
  ]
  await setTimeout(seconds * 1000)
  stop.abort()
  await Promise.all(sending)
  await neighbours.stop()
  for (const server of servers) server.close()
  await setTimeout(SETTLE_MS)
  for (const { target, count } of inputs.values()) {
    if (count > 0) print(`${target.name}: ${count} inputs through sockets`)
  }
  const checks = new Checks(print)
  const { tcpLines, udpLines, slowestProbeMs } = neighbours.seen
  const metrics = await scrape(http)
  const [tcp, udp] = [totalOf(metrics, 'neighbour_tcp'), totalOf(metrics, 'neighbour_udp')]
  checks.add(tcp === tcpLines, `neighbour by TCP: ${tcp} lines counted of ${tcpLines} sent`)
  const loss = (udpLines - udp) / udpLines
  checks.add(
    loss >= 0 && loss <= UDP_LOSS_LIMIT,
    `neighbour by UDP: ${udp} lines counted of ${udpLines} sent`,
  )
  const errors = totalOf(metrics, 'pentameter_decode_errors')
  checks.add(errors > 0, `errors of peers that were counted: ${errors}`)
  checks.add(slowestProbeMs <= PROBE_LIMIT_MS, `slowest health check ${slowestProbeMs} ms`)
  const after = descriptorsOf(hub.pid)
  checks.add(after <= before + DESCRIPTORS_MARGIN, `descriptors: ${before} before, ${after} after`)
  const rssMb = Math.round(rssOf(hub.pid))
  checks.add(rssMb <= RSS_LIMIT_MB, `memory ${rssMb} MB, at most ${RSS_LIMIT_MB}`)
  const { code, log } = await hub.stop()
  checks.add(code === 0, `the hub lives, and ends with ${code}`)
  if (code !== 0) print(log.slice(-3000))
  return checks.verdict
}

class Checks {
  #passed = 0
  #failed = 0
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  get verdict(): Verdict {
    return { passed: this.#passed, failed: this.#failed }
  }

  add(isMet: boolean, what: string): void {
    if (isMet) this.#passed++
    else this.#failed++
    this.#print(`${isMet ? 'ok    ' : 'FAILED'} ${what}`)
  }
}

/** Asks for the exposition until the hub gives large answers again. */
async function scrape({ host, port }: Address): Promise<string> {
  for (let left = ANSWER_TRIES; left > 0; left--) {
    const answer = await fetch(`http://${host}:${port}/metrics`).catch(() => undefined)
    if (answer?.ok === true) return answer.text()
    await setTimeout(1000)
  }
  return ''
}

/** Adds up the samples of a counter; NaN where there is none. */
function totalOf(metrics: string, name: string): number {
  const samples = [...metrics.matchAll(new RegExp(`^${name}_total(?:\\{.*\\})? (\\d+)`, 'gm'))]
  if (samples.length === 0) return Number.NaN
  return samples.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Open descriptors of a process; 0 where the system does not tell. */
function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** Resident memory of a process, MB; 0 where the system does not tell. */
function rssOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
