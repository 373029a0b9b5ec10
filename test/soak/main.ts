/**
 * npm run soak [-- --minutes N] [-- --seed S]
 *
 * Runs one hub with small limits for N minutes (default 5) under clients of every dialect that
 * come, go, lie and stall, while its threads and filters are ended and its clock is set. Then every
 * number is compared with what the clients have counted themselves, and what the process holds with
 * what it held before. The same seed gives the same rows of chance. The last line is
 * `N passed, M failed`; the exit code 1 where a number was wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Random } from '../fuzz/engine/random.ts'
import { type Client, packetOf, pause, type Surroundings } from './clients/client.ts'
import { end, open, write } from './clients/connection.ts'
import { CounterExporter, ScopeExporter } from './clients/exporters.ts'
import { Gate } from './clients/gate.ts'
import { Ledger } from './clients/ledger.ts'
import { orderedSender, recklessSender, SENDERS, tcpSender, udpSender } from './clients/senders.ts'
import { flooder, liar, staller } from './clients/strangers.ts'
import { visitingViewers, visitors } from './clients/visitors.ts'
import { watchCounters, watchMetrics, watchPage, watchScope } from './clients/watchers.ts'
import { steadyWorker, visitingWorkers } from './clients/workers.ts'
import { exactly, type Row, table, within } from './comparison.ts'
import { clockSetter, drained, filterKiller, threadKiller } from './disturbances.ts'
import { PRIMED, seen, told, totals } from './expectations.ts'
import { receiveLines, receiveOtlp, receiveWindows } from './receivers.ts'
import { descriptorsOf, Sampler } from './sampler.ts'
import { startTarget, type Target } from './target.ts'

const PROGRESS_MS = 10_000
/** The second of the last line ends, and the longest interval of those that watch. */
const LAST_SECOND_MS = 2500
const LAST_INTERVAL_MS = 6000
const LOG_SHOWN = 3000
const LEAVE_MS = 3000
/** Time for beginning and end; a run that takes longer has failed. */
const GRACE_MS = 180_000

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
})
const durationMs = Number(values.minutes) * 60_000
if (!(durationMs > 0)) throw new Error(`--minutes ${values.minutes}: want a number above 0`)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
if (!Number.isInteger(seed)) throw new Error(`--seed ${values.seed}: want a whole number`)

/** Makes names known, so that those that watch are there before the first number. */
async function prime({ target, ledger }: Surroundings): Promise<void> {
  const socket = await open(target.text)
  await write(socket, packetOf(['soak.meter:0|m', 'soak.spread:1|h']))
  await end(socket)
  ledger.add('soak.spread count', PRIMED)
  ledger.add('soak.spread sum', 1)
  await wait(LAST_SECOND_MS)
}

async function openWatchers(target: Target) {
  return {
    'session at 1 s': await watchCounters(target, 1000),
    'session at 2 s': await watchCounters(target, 2000),
    'session at 5 s': await watchCounters(target, 5000),
    'page at 1 s': await watchPage(target, 1),
  }
}

/** Runs all clients until the signal; each has a row of chance of its own. */
async function runAll(
  clients: readonly Client[],
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const running = clients.map((client, i) =>
    client({ ...surroundings, random: new Random(seed, i) }, signal),
  )
  await Promise.all(running)
}

async function tellProgress(sampler: Sampler, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const begin = performance.now()
  for (;;) {
    await pause(PROGRESS_MS, signal)
    if (signal.aborted) return
    const seconds = Math.round((performance.now() - begin) / 1000)
    const { rssMb = 0, heapMb = 0, descriptors = 0, zoneKb = 0, series = 0 } = sampler.last ?? {}
    console.log(
      `${seconds} s: ${ledger.of('soak.spread count')} lines, ${ledger.of('visits')} visits, ` +
        `${ledger.of('thread ends')} threads ended, clock set ${ledger.of('clock steps')} times, ` +
        `rss ${Math.round(rssMb)} MB, heap ${heapMb.toFixed(1)} MB, ` +
        `${descriptors} descriptors, zone ${zoneKb} kB, ${series} series`,
    )
  }
}

/** Runs all of it. @returns the rows of the table, and what is known of single cases */
async function soak(
  folder: string,
  interrupted: AbortSignal,
  onHub: (target: Target) => void,
): Promise<{ rows: Row[]; faults: readonly string[] }> {
  const receivers = {
    ...{ lines: await receiveLines(), windows: await receiveWindows(), otlp: await receiveOtlp() },
  }
  const [counters, boiler] = [new CounterExporter(), new ScopeExporter()]
  const target = await startTarget(folder, {
    relay: [
      `statshero+tcp://127.0.0.1:${receivers.lines.port}`,
      `wallaroo://127.0.0.1:${receivers.windows.port}`,
    ],
    attach: [await counters.start(), await boiler.start()],
    otlp: `http://127.0.0.1:${receivers.otlp.port}`,
  })
  onHub(target)
  const surroundings = { target, ledger: new Ledger(), gate: new Gate(), random: new Random(seed) }
  await prime(surroundings)
  const descriptorsBefore = descriptorsOf(target.hub.pid)
  const watchers = await openWatchers(target)
  const slowPage = await watchPage(target, 3)
  const [scraper, viewer] = [watchMetrics(target), await watchScope(target)]
  // the windows of a session begin with the next second
  await wait(LAST_SECOND_MS)
  const sampler = new Sampler(target)
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(durationMs)])
  const progress = tellProgress(sampler, surroundings.ledger, signal)
  await Promise.all([
    runAll(
      [
        ...SENDERS.map(tcpSender),
        ...[orderedSender, udpSender, recklessSender, recklessSender],
        ...[steadyWorker('w1'), steadyWorker('w2'), visitingWorkers],
        ...[counters.run, boiler.run, visitors, visitors, visitingViewers, visitingViewers],
        ...[liar, flooder, staller, threadKiller, filterKiller, clockSetter],
      ],
      surroundings,
      signal,
    ),
    sampler.run(signal),
    progress,
  ])
  await drained(surroundings)
  await wait(LAST_SECOND_MS)
  const rows = await totals(surroundings)
  await wait(LAST_INTERVAL_MS)
  rows.push(
    ...told(surroundings, watchers, receivers),
    ...seen(surroundings, { scraper, viewer, slowPage }),
  )
  await Promise.all(
    [...Object.values(watchers), slowPage, scraper, viewer].map((each) => each.close()),
  )
  await wait(LEAVE_MS)
  const left = descriptorsOf(target.hub.pid)
  rows.push(
    ...sampler.rows(),
    within('descriptors when all are gone', 0, descriptorsBefore + 10, left),
  )
  const { code } = await target.hub.stop()
  rows.push(exactly('exit code of the hub', 0, code ?? Number.NaN))
  await Promise.all([counters, boiler, ...Object.values(receivers)].map((each) => each.close()))
  return { rows, faults: surroundings.ledger.faults }
}

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
const folder = mkdtempSync(join(tmpdir(), 'pentameter-soak-'))
let target: Target | undefined
const watchdog = setTimeout(() => {
  console.log('0 passed, 1 failed')
  target?.hub.signal('SIGKILL')
  process.exit(1)
}, durationMs + GRACE_MS)
try {
  console.log(`seed ${seed}: npm run soak -- --minutes ${values.minutes} --seed ${seed}`)
  const { rows, faults } = await soak(folder, interrupted.signal, (started) => {
    target = started
  })
  const failed = rows.filter(({ isMet }) => !isMet).length
  if (failed > 0) console.log(target?.hub.log().slice(-LOG_SHOWN))
  if (failed > 0 && faults.length > 0) console.log(faults.join('\n'))
  console.log(`${table(rows)}\n${rows.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  clearTimeout(watchdog)
  target?.hub.signal('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
