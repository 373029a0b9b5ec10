/** Options of an exporter's address, behind `?`: how often it is asked to send. */
import type { ScopeClientOptions } from '../client.ts'

const MS_PER_UNIT: Readonly<Record<string, number>> = { s: 1000, ms: 1, us: 0.001, ns: 1e-6 }
const WANTED = 'want interval=, as in ?interval=20ms'

/**
 * Reads `interval=20ms`, in s, ms, us or ns.
 * @throws {TypeError} for another option, one that is there twice, or no time
 */
export function addressOptions(query: string): Pick<ScopeClientOptions, 'samplingIntervalMs'> {
  let samplingIntervalMs: number | undefined
  for (const [name, value] of new URLSearchParams(query)) {
    if (name !== 'interval') throw new TypeError(`unknown option ${name}: ${WANTED}`)
    if (samplingIntervalMs !== undefined) throw new TypeError('interval is there twice')
    const [, number, unit] = /^(\d+(?:\.\d+)?|\.\d+)(s|ms|us|ns)$/.exec(value) ?? []
    if (unit === undefined) {
      throw new TypeError(`interval ${JSON.stringify(value)}, want a time as 20ms, 0.5s or 500us`)
    }
    // rounded, so that 0.001 s are 1 ms
    samplingIntervalMs = Number((Number(number) * MS_PER_UNIT[unit]!).toPrecision(12))
  }
  return samplingIntervalMs === undefined ? {} : { samplingIntervalMs }
}
