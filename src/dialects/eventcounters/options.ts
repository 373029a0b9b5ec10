/** Options of EventCounters' sides: their one home, with defaults and limits. */
import { bytes, choice, integer, number, section } from '../options.ts'
import { LIMITS } from './spec.ts'

export const CLIENT_OPTIONS = {
  intervalSec: number({
    min: 0.001,
    max: LIMITS.documentIntervalSecMax,
    default: LIMITS.defaultIntervalMs / 1000,
    description: 'asked of an endpoint whose address names none',
  }),
  profile: choice(['document', 'peer'], {
    default: 'document',
    description: 'spelling asked for; peer takes parts of a second',
  }),
}

export const OPTIONS = {
  prometheusNames: choice(['standard', 'dotnet-monitor'], {
    default: 'standard',
    description: 'names, units and types on /metrics: our own, or as dotnet-monitor has them',
  }),
  sessionsLimit: integer({ default: LIMITS.sessions, description: 'sessions served at once' }),
  outputBytes: bytes({
    default: LIMITS.outputBytes,
    description: 'per session; above it boundaries are skipped',
  }),
  skippedInARow: integer({
    default: LIMITS.skippedInARow,
    description: 'boundaries; then the session is closed',
  }),
  keepAliveMs: integer({
    min: 100,
    max: 2 * LIMITS.keepAliveMs, // clients give up after three times the limit
    default: LIMITS.keepAliveMs,
    description: 'silence that an empty line ends',
  }),
  client: section(CLIENT_OPTIONS, {
    check: ({ intervalSec, profile }) =>
      profile === 'peer' || Number.isInteger(intervalSec)
        ? undefined
        : { option: 'intervalSec', wanted: 'want a whole number of seconds, or the profile peer' },
  }),
}
