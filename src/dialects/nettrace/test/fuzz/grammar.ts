/** Events and commands of every shape that the writer knows, with values at all edges. */
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { double, text, unsigned } from '../../../../../test/fuzz/engine/values.ts'
import {
  COLLECT_COMMANDS,
  type CollectCommand,
  type IpcCommand,
  type Provider,
} from '../../codec/ipc/messages.ts'
import type { EventMessage, PlainValue } from '../../codec/message.ts'

const SYNC_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Makes events of counters and meters, in the order of their times. */
export function makeEvents(random: Random): EventMessage[] {
  let ticks = 0
  return Array.from({ length: 1 + random.below(6) }, () => {
    ticks += random.isOnceIn(4) ? 0 : random.below(2 ** 31)
    return { ...makeEvent(random), ...timesOf(ticks), thread: random.below(3) }
  })
}

/** Gives the times of a tick, nanoseconds since the start. */
function timesOf(ticks: number): Pick<EventMessage, 'time' | 'relMs'> {
  const ms = Math.floor(ticks / 1_000_000)
  const rest = String(Math.floor((ticks % 1_000_000) / 100)).padStart(4, '0')
  const time = new Date(SYNC_MS + ms).toISOString().replace('Z', `${rest}Z`)
  return { time, relMs: (ticks * 1000) / 1e9 }
}

type EventFields = Pick<EventMessage, 'provider' | 'event' | 'id' | 'payload'>

function makeEvent(random: Random): EventFields {
  const named = { provider: words(random), event: 'EventCounters' }
  const metrics = { provider: 'System.Diagnostics.Metrics' }
  switch (random.below(4)) {
    case 0:
      return { ...named, id: 1, payload: makeMean(random) }
    case 1:
      return { ...named, id: 2, payload: makeSum(random) }
    case 2: {
      const payload = {
        ...{ ...series(random), quantiles: words(random), count: Number(i32(random)) },
        ...{ sum: plain(double(random)), instrumentId: Number(i32(random)) },
      }
      return { ...metrics, event: 'HistogramValuePublished', id: 6, payload }
    }
    default: {
      const payload = { ...series(random), rate: words(random), value: words(random) }
      return { ...metrics, event: 'CounterRateValuePublished', id: 4, payload }
    }
  }
}

function makeMean(random: Random): Record<string, PlainValue> {
  return {
    ...{ Name: words(random), DisplayName: words(random), Mean: plain(double(random)) },
    ...{ StandardDeviation: plain(double(random)), Count: Number(i32(random)) },
    ...{ Min: plain(double(random)), Max: plain(double(random)), IntervalSec: 1.0015682 },
    ...{ Series: 'Interval=1000', CounterType: 'Mean', Metadata: words(random), DisplayUnits: '' },
  }
}

function makeSum(random: Random): Record<string, PlainValue> {
  return {
    ...{ Name: words(random), DisplayName: '', DisplayRateTimeScale: '00:00:01' },
    ...{ Increment: plain(double(random)), IntervalSec: 0.5, Metadata: words(random) },
    ...{ Series: 'Interval=500', CounterType: 'Sum', DisplayUnits: words(random) },
  }
}

function series(random: Random): Record<string, PlainValue> {
  const [meterName, instrumentName, tags] = [words(random), words(random), words(random)]
  return { sessionId: 'SHARED', meterName, meterVersion: '', instrumentName, unit: '', tags }
}

/** A text without its end inside. */
function words(random: Random): string {
  return text(random, 40).replaceAll('\0', '')
}

function plain(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

function i32(random: Random): bigint {
  return BigInt.asIntN(32, unsigned(random, 32))
}

/** Makes a command that a runtime would take. */
export function makeCommand(random: Random): IpcCommand {
  if (random.isOnceIn(4)) {
    const message = random.pick(['ProcessInfo', 'ProcessInfo3', 'ResumeRuntime'] as const)
    return { message }
  }
  if (random.isOnceIn(4)) {
    return { message: 'StopTracing', session: String(unsigned(random, 64)) }
  }
  return makeCollect(random)
}

function makeCollect(random: Random): CollectCommand {
  const number = 1 + random.below(6)
  const message = COLLECT_COMMANDS[number - 1]!
  const bufferMB = Math.max(1, Number(unsigned(random, 32)))
  const providers = Array.from({ length: 1 + random.below(3) }, () => {
    return makeProvider(random, number >= 5)
  })
  return {
    ...{ message, bufferMB, format: random.below(2), providers },
    ...(number >= 5 ? { sessionType: 0 } : {}),
    ...(number === 2 || number === 3 ? { rundown: random.isOnceIn(2) } : {}),
    ...(number >= 4 ? { rundownKeyword: String(unsigned(random, 64)) } : {}),
    ...(number >= 3 ? { stacks: random.isOnceIn(2) } : {}),
    ...(number >= 6 ? { bufferMode: random.below(2) } : {}),
  }
}

function makeProvider(random: Random, hasFilter: boolean): Provider {
  const bits = unsigned(random, 64)
  const keywords = bits <= Number.MAX_SAFE_INTEGER ? Number(bits) : String(bits)
  const name = `p${text(random, 20)}`
  const provider = { keywords, level: random.below(6), name, arguments: text(random, 20) }
  if (!hasFilter) return provider
  const eventIds = Array.from({ length: random.below(3) }, () => Number(unsigned(random, 32)))
  return { ...provider, filter: { enable: random.isOnceIn(2), eventIds } }
}
