/** Options of EventCounters' sides: their one home, with defaults and limits. */
import { bytes, choice, integer, number, reconnectOptions, section } from '../options.ts'
import { LIMITS } from './spec.ts'

const CLIENT_OPTIONS = {
  intervalMs: number({
    min: 1,
    max: 1000 * LIMITS.documentIntervalSecMax,
    default: 1000,
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
  sessionsLimit: integer({
    default: LIMITS.sessions,
    description: 'sessions served at once; shared out by address when all places are taken',
  }),
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
    check: ({ intervalMs, profile }) =>
      profile === 'peer' || Number.isInteger(intervalMs / 1000)
        ? undefined
        : { option: 'intervalMs', wanted: 'want whole seconds, or the profile peer' },
  }),
}

/** Options of a client in a program. */
export const OWN_CLIENT_OPTIONS = {
  ...CLIENT_OPTIONS,
  intervalMs: number({
    ...CLIENT_OPTIONS.intervalMs,
    min: 0,
    description: 'asked of an endpoint whose address names none; 0 = a session without payloads',
  }),
  deliver: choice(['own', 'all'], {
    default: 'own',
    description: 'own: the series asked for alone; all: those of all who ask for all, too',
  }),
  // the pauses of eventcounters.md §6: an endpoint has few clients, none need spreading
  ...reconnectOptions({ firstMs: 250, limitMs: 10_000, jitter: 0 }),
}
