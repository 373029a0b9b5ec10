/**
 * Opens the history of a hub, which goes on with the series that it finds there. One that can't be
 * opened is told, and the hub runs without; where that may pass it is tried again.
 */
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Dialect } from '../../dialects/dialect.ts'
import { type EngineAddress, engineAddress, isEngineAddress } from '../../history/promql/address.ts'
import { type CellQuery, HistoryError, type HistoryHealth } from '../../history/store.ts'
import type { HubConfig } from '../config/values.ts'
import type { Hub } from '../hub.ts'
import type { Log } from '../log.ts'
import { EngineHistory } from './engine-history.ts'
import { HistorySink, NoHistory } from './history-sink.ts'
import { tellLiving } from './living-series.ts'
import { PastSeries } from './past-series.ts'
import { originOf } from './restore-series.ts'
import type { ToldNames } from './thread/messages.ts'
import { ThreadHistory } from './thread/thread-history.ts'
import { PULSE, writtenSeries } from './written-names.ts'

/** Time ahead of the clock for which the history is believed to have seconds: clocks are wrong. */
const AHEAD_LIMIT_MS = 86_400_000
/** Time that the start of the hub has for the first answer of an engine. */
const FIRST_PROBE_MS = 2000
/** Attempts to have a folder that another process has: for some 45 s. */
const IN_USE_ATTEMPTS = 6

/** Opens what the configuration asks for; to be called before the hub starts. */
export async function openHistory(
  hub: Hub,
  config: HubConfig,
  dialects: readonly Dialect[],
  log: Log,
): Promise<void> {
  const { path } = config.history
  if (path === undefined || path === '') return
  const isEngine = isEngineAddress(path)
  const place = isEngine ? engineAddress(path).place : resolve(path)
  try {
    if (isEngine)
      await openEngine(hub, config, engineAddress(path), isWritten(config, dialects), log)
    else await openFolder(hub, config, place, log)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    log('warn', 'the hub runs without a history', { reason: error.message })
    const none = new NoHistory(place, error)
    hub.past = none
    hub.addSink(none)
  }
}

/**
 * Tells whether a folder that could not be opened may be had later: there is room, or it can be
 * written again. Of one that another process has this is so while that may be ending; a hub that
 * waited longer would take the folder from the next start of that one.
 */
function isTriedAgain({ code }: HistoryError, attempts: number): boolean {
  if (code === 'in_use') return attempts < IN_USE_ATTEMPTS
  return code === 'full' || code === 'unwritable' || code === 'failed'
}

/** @throws {HistoryError} for a folder that can't be used, now or later */
async function openFolder(hub: Hub, config: HubConfig, folder: string, log: Log): Promise<void> {
  const { path: _path, timeoutMs: _timeoutMs, headers: _headers, ...rules } = config.history
  const { clock, series, metrics } = hub
  const store = await ThreadHistory.open({ folder, ...rules }, { clock, isTriedAgain })
  const opened = ({ durableS = 0, notes, damaged }: HistoryHealth): void => {
    hub.live.comesAgain(Math.min(durableS * 1000, clock.wallMs() + AHEAD_LIMIT_MS))
    for (const note of notes) log('info', `history: ${note}`, { place: folder })
    if (Object.keys(damaged).length === 0) return
    const facts = { place: folder, ...damaged }
    log('warn', 'parts of the history can not be read, and are left out', facts)
  }
  let health: HistoryHealth | undefined
  let known: ReadonlySet<number> = new Set()
  if (store.failure === undefined) {
    try {
      known = await goOn(hub, store, config, (await store.health()).durableS ?? 0)
      // behind that, for it may have found damage
      health = await store.health()
      opened(health)
    } catch (error) {
      await store.close().catch(() => {})
      throw error
    }
    if (known.size > 0) log('info', 'series are gone on with', { series: known.size })
  } else {
    const reason = store.failure.message
    log('warn', 'the hub runs without a history for now, and tries again', { reason })
  }
  hub.history = store
  const keptS = [rules.secondsKeptS, rules.minutesKeptS, rules.hoursKeptS]
  const sink = new HistorySink({
    ...{ store, place: folder, keptS, bytesLimit: rules.bytesLimit, health, opened },
    heldBytesLimit: config.liveBytesLimit,
    ...{ series, metrics, log, originOf, known, clock, fractional: hub.fractional },
  })
  hub.past = new PastSeries(sink)
  hub.addSink(sink)
  hub.durable.keptBy(sink)
}

/** Tells whether a relay of the hub writes to a store as it can be read. */
function isWritten({ relay }: HubConfig, dialects: readonly Dialect[]): boolean {
  const writing = dialects.filter(({ connectTotals }) => connectTotals !== undefined)
  return relay.some((each) => writing.some(({ name }) => each.startsWith(`${name}+`)))
}

/**
 * Opens an engine that is only read; one that does not answer yet is asked again.
 * @throws {HistoryError} where no thread starts
 */
async function openEngine(
  hub: Hub,
  config: HubConfig,
  address: EngineAddress,
  isWritten: boolean,
  log: Log,
): Promise<void> {
  const { url, place, headers, ...rest } = address
  const { timeoutMs, headers: more } = config.history
  const named = {
    series: hub.series,
    find: (key: Uint8Array) => hub.series.find(key),
    exportRules: (dialect: string) => hub.exportRules(dialect),
  }
  const namesOf = ({ groups }: CellQuery): ToldNames =>
    [PULSE, ...groups.flat()].map((key) => [key, writtenSeries(key, named)])
  const own = { ...headers, ...more }
  const thread = await ThreadHistory.open(
    { engine: { url, headers: own, timeoutMs, ...rest } },
    { namesOf, clock: hub.clock },
  )
  const engine = new EngineHistory({
    ...{ thread, place, metrics: hub.metrics, log, isWritten },
    hub: named,
  })
  hub.history = engine
  hub.past = new PastSeries(engine)
  hub.addSink(engine)
  // the start report tells what it finds; it does not wait for one that says nothing
  await Promise.race([engine.probe(), setTimeout(FIRST_PROBE_MS, undefined, { ref: false })])
}

/**
 * Goes on with the series that were there when the former hub ended.
 * @param endedS when that was
 * @returns ids of those
 */
function goOn(
  hub: Hub,
  store: ThreadHistory,
  { expireAfterS }: HubConfig,
  endedS: number,
): Promise<Set<number>> {
  const nowS = Math.floor(hub.clock.wallMs() / 1000)
  return tellLiving(store, nowS, (page, row) => {
    const lastS = page.lastS(row)
    // what had come without a change has no cell that says when: else it would have expired before
    const heardS = lastS < endedS - expireAfterS ? endedS : lastS
    const isExpired = expireAfterS > 0 && heardS < nowS - expireAfterS
    if (isExpired) return undefined
    const former = page.series(row)
    return hub.restore(expireAfterS > 0 ? { ...former, lastS: heardS } : former)?.id
  })
}
