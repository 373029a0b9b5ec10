/**
 * npm run siege [-- --seconds N] [-- NAME…]
 *
 * Runs every attack of attacks.ts (or those whose names contain a word) against a hub of its own
 * with a heap of 512 MB, beside well-behaved neighbours. Prints what each attack did to them, then
 * whether their counts are exact. Ends with 1 where a bound is broken; the last line is
 * `N passed, M failed`.
 */
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Listeners, startHubProcessWith } from '../support/hub/hub-process.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { Neighbours, type Seen } from './neighbours.ts'

const HEAP_FLAG = '--max-old-space-size=512'
/** Bounds; those of time are for a machine that does nothing else. */
const RSS_LIMIT_MB = 1200
const PROBE_LIMIT_MS = 5000
const UDP_LOSS_LIMIT = 0.02
const SETTLE_MS = 3000
const SAMPLE_MS = 200
const ANSWER_TRIES = 60

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' } },
})
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error(`--seconds ${values.seconds}: want a number above 0`)
const chosen = ATTACKS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
)

let passed = 0
let failed = 0
function check(isMet: boolean, what: string): void {
  if (isMet) passed++
  else failed++
  console.log(`${isMet ? 'ok    ' : 'FAILED'} ${what}`)
}

/** Resident memory of a process, MB; 0 where the system does not tell. */
function rssOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Runs one attack. @returns the largest resident memory meanwhile, MB */
async function endure(attack: Attack, target: Listeners, pid: number): Promise<number> {
  const stop = new AbortController()
  const running = attack.run(target, stop.signal)
  let largest = 0
  for (let passedMs = 0; passedMs < seconds * 1000; passedMs += SAMPLE_MS) {
    await setTimeout(SAMPLE_MS)
    largest = Math.max(largest, rssOf(pid))
  }
  stop.abort()
  await running
  return largest
}

function row(name: string, before: Seen, after: Seen, rssMb: number): string {
  const grown = (key: keyof Seen): number => after[key] - before[key]
  return [
    name.padEnd(36),
    `probe ${after.slowestProbeMs} ms`.padEnd(16),
    `rss ${Math.round(rssMb)} MB`.padEnd(13),
    `snapshots ${grown('snapshots')}`.padEnd(15),
    `windows ${grown('windows')}`.padEnd(13),
    `events ${grown('events')}`.padEnd(12),
    `scrapes ${grown('scrapes')} (${grown('scrapesRefused')} refused)`,
  ].join(' ')
}

/** Total of a counter as a scraper sees it; asked until the hub gives large answers again. */
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

const hub = await startHubProcessWith({ execArgv: [HEAP_FLAG] }, 'serve')
const neighbours = new Neighbours(hub.listeners)
neighbours.start()
await setTimeout(SETTLE_MS)
let largestMb = 0
let slowestMs = 0
for (const attack of chosen) {
  neighbours.beginStretch()
  const before = neighbours.seen
  const rssMb = await endure(attack, hub.listeners, hub.pid)
  const after = neighbours.seen
  largestMb = Math.max(largestMb, rssMb)
  slowestMs = Math.max(slowestMs, after.slowestProbeMs)
  console.log(row(attack.name, before, after, rssMb))
  check(after.snapshots > before.snapshots, `${attack.name}: the scope viewer goes on`)
  check(after.events > before.events, `${attack.name}: the page's stream goes on`)
}
await neighbours.stop()
await setTimeout(SETTLE_MS)
const { tcpLines, udpLines, windows } = neighbours.seen
const tcp = await totalOf(hub.listeners.http, 'neighbour_tcp')
const udp = await totalOf(hub.listeners.http, 'neighbour_udp')
check(tcp === tcpLines, `lines by TCP: ${tcp} counted of ${tcpLines} sent`)
const loss = (udpLines - udp) / udpLines
check(loss >= 0 && loss <= UDP_LOSS_LIMIT, `lines by UDP: ${udp} counted of ${udpLines} sent`)
check(windows > 0, `windows of the counter session: ${windows}`)
check(
  slowestMs <= PROBE_LIMIT_MS,
  `slowest health check ${slowestMs} ms, at most ${PROBE_LIMIT_MS}`,
)
check(largestMb <= RSS_LIMIT_MB, `memory ${Math.round(largestMb)} MB, at most ${RSS_LIMIT_MB}`)
const { code, log } = await hub.stop()
check(code === 0, `the hub lives, and ends with ${code}`)
if (code !== 0) console.log(log.slice(-3000))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
