/** Opens the history of a hub; one that can't be opened is told, and the hub runs without. */
import { resolve } from 'node:path'
import { HistoryError } from '../../history/store.ts'
import type { HubConfig } from '../config/values.ts'
import type { Hub } from '../hub.ts'
import type { Log } from '../log.ts'
import { isDecrements, isWindowed, type SeriesRecord } from '../series/record.ts'
import { HistorySink, NoHistory } from './history-sink.ts'
import { ThreadHistory } from './thread-history.ts'

/** Opens what the configuration asks for; to be called before the hub starts. */
export async function openHistory(hub: Hub, config: HubConfig, log: Log): Promise<void> {
  const { path, ...rules } = config.history
  if (path === undefined || path === '') return
  const folder = resolve(path)
  try {
    const store = await ThreadHistory.open({ folder, ...rules })
    const health = await store.health()
    for (const note of health.notes) log('info', `history: ${note}`, { place: folder })
    hub.history = store
    const { series, metrics } = hub
    const keptS = [rules.secondsKeptS, rules.minutesKeptS, rules.hoursKeptS]
    const parts = { store, place: folder, keptS, health, series, metrics, log, originOf }
    hub.addSink(new HistorySink(parts))
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    log('warn', 'the hub runs without a history', { reason: error.message })
    hub.addSink(new NoHistory(folder, error.message))
  }
}

/** Describes how a series came, for a hub that goes on with it. */
function originOf(record: SeriesRecord): string {
  return JSON.stringify({
    source: record.source,
    isWindowed: isWindowed(record),
    isDecrements: isDecrements(record),
    isCumulative: record.kind === 'counter' && record.reading !== undefined,
  })
}
