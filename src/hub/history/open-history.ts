/**
 * Opens the history of a hub, which goes on with the series that it finds there. One that can't be
 * opened is told, and the hub runs without.
 */
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Dialect } from '../../dialects/dialect.ts'
import { type EngineAddress, engineAddress, isEngineAddress } from '../../history/promql/address.ts'
import { type CellQuery, HistoryError } from '../../history/store.ts'
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

/** @throws {HistoryError} for a folder that can't be used */
async function openFolder(hub: Hub, config: HubConfig, folder: string, log: Log): Promise<void> {
  const { path: _path, timeoutMs: _timeoutMs, headers: _headers, ...rules } = config.history
  const store = await ThreadHistory.open({ folder, ...rules }, { clock: hub.clock })
  try {
    const { durableS = 0 } = await store.health()
    const aheadMs = hub.clock.wallMs() + AHEAD_LIMIT_MS
    hub.live.comesAgain(Math.min(durableS * 1000, aheadMs))
    const known = await goOn(hub, store, config, durableS)
    const health = await store.health()
    for (const note of health.notes) log('info', `history: ${note}`, { place: folder })
    if (Object.keys(health.damaged).length > 0) {
      const facts = { place: folder, ...health.damaged }
      log('warn', 'parts of the history can not be read, and are left out', facts)
    }
    if (known.size > 0) log('info', 'series are gone on with', { series: known.size })
    hub.history = store
    const { series, metrics, clock } = hub
    const keptS = [rules.secondsKeptS, rules.minutesKeptS, rules.hoursKeptS]
    const parts = {
      store,
      place: folder,
      keptS,
      health,
      series,
      metrics,
      log,
      originOf,
      known,
      clock,
    }
    const sink = new HistorySink(parts)
    hub.past = new PastSeries(sink)
    hub.addSink(sink)
  } catch (error) {
    await store.close().catch(() => {})
    throw error
  }
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
