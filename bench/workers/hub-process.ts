/**
 * Program: a hub with its HTTP side that watches its own event loop. Its argument is options of its
 * config as JSON; it answers every question of a HubQuestion.
 */
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { GUESTS } from '../../src/dialects/registry.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { SeriesRecord } from '../../src/hub/series/record.ts'
import { hubOfProgram } from '../receivers/hub-program.ts'
import type { HubQuestion, LoopFigures, Messages, MessageTotals } from './hub.ts'

const hub = hubOfProgram()
const http = createHttpServer({
  ...{ view: hub, webRoot: '', host: '127.0.0.1', port: 0 },
  guests: GUESTS,
})
await hub.start()
const { port: httpPort } = await http.start()

/** Finer than what is asked of the loop by far. */
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let cpu = process.cpuUsage()
let sinceMs = performance.now()
/** Processor time of this thread between two looks: what the loop was kept for by nobody but us. */
const turns = createHistogram()
let spentUs = threadUs()
let missed: SeriesRecord | undefined
setInterval(() => {
  const nowUs = threadUs()
  turns.record(Math.max(1, nowUs - spentUs))
  spentUs = nowUs
}, 1).unref()

const answers = {
  windows: () => hub.measurements('wallaroo'),
  lines: () => hub.measurements('statshero'),
  refused: () => hub.sources().refusals.reduce((sum, { count }) => sum + count, 0),
  series: () => hub.series.size,
  /** End of the last second that is closed. */
  closedMs: () => hub.live.newest?.endMs ?? 0,
  loop,
  messages,
}
process.on('message', (question: HubQuestion) => process.send?.(answers[question]()))
process.once('disconnect', () => void http.stop().then(() => hub.stop()))
const { stream, text } = hub.addresses()
process.send?.({ streamPort: stream!.port, textPort: text!.port, httpPort })

function threadUs(): number {
  const { user, system } = process.threadCpuUsage()
  return Math.round(user + system)
}

function loop(): LoopFigures {
  const ms = (ns: number): number => ns / 1e6
  const spent = process.cpuUsage(cpu)
  const answer: LoopFigures = {
    delayMsP50: ms(delay.percentile(50)),
    delayMsP99: ms(delay.percentile(99)),
    delayMsMax: ms(delay.max),
    turnMsP99: turns.percentile(99) / 1000,
    turnMsMax: turns.max / 1000,
    cpuMs: (spent.user + spent.system) / 1000,
    wallMs: performance.now() - sinceMs,
    residentBytes: process.memoryUsage.rss(),
    ringBytes: hub.live.bytes,
    ticksMissed: ticksMissed(),
  }
  delay.reset()
  turns.reset()
  sinceMs = performance.now()
  spentUs = threadUs()
  cpu = process.cpuUsage()
  return answer
}

/** The hub's own counter; found while its series are few. */
function ticksMissed(): number {
  missed ??= [...hub.series].find(({ identity }) => identity.name === 'pentameter.tick.missed')
  const total = missed === undefined ? undefined : hub.total(missed)
  return total?.kind === 'counter' ? Number(total.total) : 0
}

/** Goes through all series at once: to be asked for when nothing is measured. */
function messages(): Messages {
  const found: Record<string, { -readonly [key in keyof MessageTotals]: number }> = {}
  for (const record of hub.series) {
    const { name, labels } = record.identity
    if (name !== 'wallaroo_computation_messages_total') continue
    const total = hub.total(record)
    if (total.kind !== 'counter') continue
    const application = labels.find(([label]) => label === 'application')?.[1] ?? ''
    const count = Number(total.total)
    const of = found[application] ?? { series: 0, least: count, greatest: 0, sum: 0 }
    found[application] = of
    of.series++
    of.least = Math.min(of.least, count)
    of.greatest = Math.max(of.greatest, count)
    of.sum += count
  }
  return found
}
