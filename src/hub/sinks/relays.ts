/** The sinks of all addresses that every closed second is sent to. */
import type { Dialect } from '../../dialects/dialect.ts'
import type { ClientContext } from '../../dialects/endpoints.ts'
import type { RelayTarget } from '../config/target.ts'
import { ConfigError } from '../config/values.ts'
import type { CounterRecord } from '../series/record.ts'
import type { HubView } from '../view.ts'
import { RelaySink } from './relay.ts'
import { RelayedSeconds } from './relayed-seconds.ts'
import type { Sink } from './sinks.ts'
import { TotalsRelay } from './totals-relay.ts'

/** @throws {ConfigError} for a dialect that can't send, and for an address that it can't use */
export function relaySinks(
  targets: readonly RelayTarget[],
  view: HubView,
  contextOf: (dialect: Dialect) => ClientContext,
): Sink[] {
  const seconds = new RelayedSeconds({
    get: (id) => view.series.get(id),
    keep: (record) => view.series.keep(record),
    counterTotal: (record: CounterRecord) => {
      const total = view.total(record)
      return total.kind === 'counter' ? total.total : 0
    },
  })
  return targets.map(({ dialect, output, target, name }) => {
    const context = contextOf(dialect)
    try {
      const totals = output === undefined ? dialect.connectTotals?.(target, context) : undefined
      if (totals !== undefined) return new TotalsRelay(name, dialect.name, totals, view)
      const emitter = (output ?? dialect).connectEmitter?.(target, context)
      if (emitter === undefined) throw new TypeError(`${dialect.name} can't send`)
      return new RelaySink(name, dialect.name, emitter, seconds)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new ConfigError([`relay ${name}: ${error.message}`])
    }
  })
}
