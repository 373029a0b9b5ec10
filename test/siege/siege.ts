/** One hub with its neighbours under one attack after the other, and what is checked of them. */
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import {
  type Circumstances,
  type HubProcess,
  type Listeners,
  startHubProcessWith,
} from '../support/hub/hub-process.ts'
import { attack } from './attacker.ts'
import { ATTACKS } from './attacks.ts'
import { Latecomers } from './latecomers.ts'
import { Neighbours, type Seen } from './neighbours.ts'

const HEAP_FLAG = '--max-old-space-size=512'
const SETTLE_MS = 3000
const SAMPLE_MS = 250
const ANSWER_TRIES = 60
/** Time until an attack on places has them all. */
const TAKING_MS = 1000
/** Time that streams may take, when the attack has lasted long enough, to show that they go on. */
const LATE_MS = 10_000

/** Worst that may be seen over all attacks. */
export interface Bounds {
  /** Resident memory, MB. */
  readonly rssMb: number
  /** Answer to a health check, ms. */
  readonly probeMs: number
  /** Processor time of one step of the event loop, ms. */
  readonly heldMs: number
  /** Share of the lines sent by UDP. */
  readonly udpLoss: number
  readonly logLines: number
}

export const counts = { passed: 0, failed: 0 }

export function check(isMet: boolean, what: string): void {
  if (isMet) counts.passed++
  else counts.failed++
  console.log(`${isMet ? 'ok    ' : 'FAILED'} ${what}`)
}

export class Siege {
  readonly #hub: HubProcess
  readonly #neighbours: Neighbours
  readonly #latecomers: Latecomers
  readonly #bounds: Bounds
  readonly #seconds: number
  #isEnding = false
  readonly #worst = { rssMb: 0, probeMs: 0, heldMs: 0 }

  private constructor(hub: HubProcess, bounds: Bounds, seconds: number) {
    this.#hub = hub
    this.#bounds = bounds
    this.#seconds = seconds
    const stolenMs = (): number => waitedMs(hub.pid) + waitedMs(process.pid)
    this.#neighbours = new Neighbours(hub.listeners, stolenMs)
    this.#latecomers = new Latecomers(hub.listeners)
  }

  /**
   * Starts a hub and its neighbours.
   * @param seconds of each attack
   */
  static async begin(
    how: Circumstances,
    bounds: Bounds,
    seconds: number,
    ...flags: readonly string[]
  ): Promise<Siege> {
    const execArgv = [HEAP_FLAG]
    const hub = await startHubProcessWith({ ...how, execArgv, isWatched: true }, 'serve', ...flags)
    const siege = new Siege(hub, bounds, seconds)
    void hub.ended.then(({ code, signal, log }) => {
      if (siege.#isEnding) return
      console.log(`FAILED the hub ended by itself, with ${code ?? signal}:\n${log.slice(-3000)}`)
      process.exit(1)
    })
    siege.#neighbours.start()
    await siege.#latecomers.begin()
    await setTimeout(SETTLE_MS)
    hub.takeHeldMs()
    return siege
  }

  get http(): Listeners['http'] {
    return this.#hub.listeners.http
  }

  /**
   * Runs one attack beside the neighbours.
   * @param run what it does until the signal, where it is none of attacks.ts
   */
  async endure(
    name: string,
    run = (signal: AbortSignal) => attack(name, this.#hub, signal),
  ): Promise<void> {
    const neighbours = this.#neighbours
    neighbours.beginStretch()
    const before = neighbours.seen
    const stop = new AbortController()
    const takesPlaces = ATTACKS.find((each) => each.name === name)?.takesPlaces ?? false
    const running = run(stop.signal)
    const coming = takesPlaces ? this.#comeLate(stop.signal) : undefined
    let rssMb = 0
    let heapMb = 0
    const isDone = (passedMs: number): boolean => {
      const lateMs = passedMs - this.#seconds * 1000
      return lateMs >= LATE_MS || (lateMs >= 0 && goesOn(before, neighbours.seen))
    }
    for (let passedMs = 0; !isDone(passedMs); passedMs += SAMPLE_MS) {
      await setTimeout(SAMPLE_MS)
      rssMb = Math.max(rssMb, rssOf(this.#hub.pid))
      void this.#hub.heapBytes().then((bytes) => {
        heapMb = Math.max(heapMb, bytes / 1_048_576)
      })
    }
    stop.abort()
    await Promise.all([running, coming])
    const after = neighbours.seen
    const heldMs = this.#hub.takeHeldMs()
    const worst = this.#worst
    worst.rssMb = Math.max(worst.rssMb, rssMb)
    worst.probeMs = Math.max(worst.probeMs, after.slowestProbeMs)
    worst.heldMs = Math.max(worst.heldMs, heldMs)
    console.log(row(name, before, after, { rssMb, heapMb, heldMs }))
    check(after.snapshots > before.snapshots, `${name}: the scope viewer goes on`)
    check(after.events > before.events, `${name}: the page's stream goes on`)
    if (takesPlaces) this.#checkLatecomers(name)
  }

  /** Sends latecomers, once the attack has taken what it wants. */
  async #comeLate(signal: AbortSignal): Promise<void> {
    await setTimeout(TAKING_MS)
    await this.#latecomers.come(signal)
  }

  #checkLatecomers(name: string): void {
    const { came, refused } = this.#latecomers.take()
    const what = [...new Set(refused)].join(', ')
    const isMet = came > 0 && refused.length === 0
    check(isMet, `${name}: ${refused.length} of ${came} latecomers refused ${what}`)
  }

  /** Compares what the neighbours sent with what was counted, and ends the hub. */
  async end(): Promise<void> {
    await this.#neighbours.stop()
    await setTimeout(SETTLE_MS)
    const { tcpLines, udpLines, windows } = this.#neighbours.seen
    const { http } = this.#hub.listeners
    const tcp = await totalOf(http, 'neighbour_tcp')
    const udp = await totalOf(http, 'neighbour_udp')
    const { rssMb, probeMs, heldMs, udpLoss, logLines } = this.#bounds
    await checkLate(http, this.#latecomers.lines)
    check(tcp === tcpLines, `lines by TCP: ${tcp} counted of ${tcpLines} sent`)
    const loss = (udpLines - udp) / udpLines
    check(loss >= 0 && loss <= udpLoss, `lines by UDP: ${udp} counted of ${udpLines} sent`)
    check(windows > 0, `windows of the counter session: ${windows}`)
    const worst = this.#worst
    check(worst.probeMs <= probeMs, `slowest health check ${worst.probeMs} ms, at most ${probeMs}`)
    const held = Math.round(worst.heldMs)
    check(held <= heldMs, `longest step of the event loop ${held} ms, at most ${heldMs}`)
    check(worst.rssMb <= rssMb, `memory ${Math.round(worst.rssMb)} MB, at most ${rssMb}`)
    this.#isEnding = true
    const { code, log } = await this.#hub.stop()
    check(code === 0, `the hub lives, and ends with ${code}`)
    const lines = log.split('\n').length - 1
    check(lines <= logLines, `lines of log ${lines}, at most ${logLines}`)
    if (code !== 0) console.log(log.slice(-3000))
  }
}

/** Compares what latecomers sent with what was counted. */
async function checkLate(http: Listeners['http'], lines: Latecomers['lines']): Promise<void> {
  for (const [name, sent] of Object.entries(lines)) {
    const counted = await totalOf(http, name.replaceAll('.', '_'))
    const short = name.slice(0, 20)
    check(counted === sent, `lines of latecomers, ${short}: ${counted} counted of ${sent} sent`)
  }
}

/**
 * Reads the time for which the main thread of a process was ready to run and did not, ms; 0 where
 * the system does not tell.
 */
function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** Reads the resident memory of a process, MB; 0 where the system does not tell. */
function rssOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function goesOn(before: Seen, after: Seen): boolean {
  return after.snapshots > before.snapshots && after.events > before.events
}

function row(
  name: string,
  before: Seen,
  after: Seen,
  { rssMb, heapMb, heldMs }: Readonly<Record<'rssMb' | 'heapMb' | 'heldMs', number>>,
): string {
  const grown = (key: keyof Seen): number => after[key] - before[key]
  return [
    name.padEnd(38),
    `probe ${after.slowestProbeMs} (${after.slowestWallMs}) ms`.padEnd(21),
    `step ${Math.round(heldMs)} ms`.padEnd(12),
    `rss ${Math.round(rssMb)} MB, heap ${Math.round(heapMb)}`.padEnd(22),
    `snapshots ${grown('snapshots')}`.padEnd(14),
    `windows ${grown('windows')}`.padEnd(11),
    `events ${grown('events')}`.padEnd(10),
    `scrapes ${grown('scrapes')} (${grown('scrapesRefused')} refused)`.padEnd(22),
    `udp ${grown('udpCounted')} of ${grown('udpLines')}`,
  ].join(' ')
}

/** Reads the total of a counter as a scraper sees it; asks until large answers are given again. */
async function totalOf({ host, port }: Listeners['http'], name: string): Promise<number> {
  for (let left = ANSWER_TRIES; left > 0; left--) {
    const answer = await fetch(`http://${host}:${port}/metrics`).catch(() => undefined)
    const text = answer?.ok ? await answer.text() : ''
    const total = new RegExp(`^${name}_total(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1]
    if (total !== undefined) return Number(total)
    await setTimeout(1000)
  }
  return Number.NaN
}
