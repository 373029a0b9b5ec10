/** Options of scope's sides: their one home, with defaults and limits. */
import { parseColor } from '../../model/board/options.ts'
import {
  addressOptions,
  boolean,
  bytes,
  choice,
  defaultsOf,
  integer,
  list,
  map,
  number,
  reconnectOptions,
  section,
  text,
  type ValuesOf,
} from '../options.ts'
import { STATISTICS } from '../snapshot-source.ts'
import { DEFAULT_PORT, SETTINGS_CAP_BELOW } from './spec.ts'

const framing = choice(['auto', 'framed', 'bare'], {
  default: 'auto',
  description: 'the only one taken',
})

const MATCH_OPTIONS = {
  name: text({ description: 'of the series; * stands for any text' }),
  labels: map(text({ default: '', description: 'value' }), { description: 'values by key' }),
}

const COLOR_WANTED = 'want #RGB, #RRGGBB or a colour that scope viewers know by name, as red'

const HINT_OPTIONS = {
  match: section(MATCH_OPTIONS, { isRequired: true }),
  plot: text({ description: 'chart that shows it' }),
  color: text({
    description: 'of its line',
    check: (color) => (parseColor(color) === undefined ? COLOR_WANTED : undefined),
  }),
}

/** Longest interval, below 2^64 nanoseconds. */
const INTERVAL_MS_MAX = 18_446_744_073_709

const CLIENT_OPTIONS = {
  samplingIntervalMs: number({
    min: 1e-6,
    max: INTERVAL_MS_MAX,
    default: 100,
    description: 'asked of the exporter, down to 0.000001',
  }),
  profile: choice(['document', 'peer'], {
    default: 'peer',
    description: 'framing tried first: peer framed, document bare',
  }),
  framing,
  strict: boolean({ default: false, description: 'refuse what the real parser refuses' }),
  promoteLabels: list(text({ default: '', description: 'key' }), {
    description: 'label keys whose first value becomes part of the identity',
  }),
}

export const SERVER_OPTIONS = {
  framing,
  handshakeTimeoutMs: integer({ default: 60_000, description: 'until the settings are complete' }),
  detectGraceMs: integer({
    default: 250,
    description: 'silence after which short settings are bare',
  }),
  settingsCapBytes: integer({
    min: 32,
    max: SETTINGS_CAP_BELOW - 1,
    default: 4096,
    description: 'largest settings',
  }),
  minIntervalMs: number({
    min: 1e-6,
    max: INTERVAL_MS_MAX,
    default: 1,
    description: 'shorter requests are raised to it',
  }),
  infoIntervalMs: integer({ default: 5000, description: 'between two information packets' }),
  maxClients: integer({
    default: 256,
    description: 'viewers at once; shared out by address when all places are taken',
  }),
  maxBufferedBytes: bytes({
    default: 8_388_608,
    description:
      'per viewer; above it snapshots are skipped, and what Info would not fit is left out',
  }),
  maxHeldBytes: bytes({
    default: 67_108_864,
    description: 'held for all viewers; above it the one that is behind for longest is closed',
  }),
  maxBytesPerSecond: bytes({
    default: 16_777_216,
    description: 'per viewer, over a second; beyond it snapshots are skipped',
  }),
  maxTotalBytesPerSecond: bytes({
    default: 134_217_728,
    description:
      'for all viewers, shared out by address; beyond its share a viewer has snapshots skipped',
  }),
  stallTimeoutMs: integer({
    default: 60_000,
    description: 'a viewer that takes nothing is closed',
  }),
  maxSeries: integer({ default: 10_000, description: 'further ones are left out' }),
  nameStyle: choice(['name', 'display'], {
    default: 'name',
    description: 'which name viewers see',
  }),
  include: list(section(MATCH_OPTIONS), {
    description: 'only matching series are offered; empty = all',
  }),
  exclude: list(section(MATCH_OPTIONS), { description: 'matching series are not offered' }),
  hints: list(section(HINT_OPTIONS), {
    description: 'plot and colour by rule; the first match decides',
  }),
}

export const OPTIONS = {
  ...SERVER_OPTIONS,
  select: list(choice(STATISTICS, { default: 'p99', description: 'statistic' }), {
    description: 'further values of distributions, as NAME.p99',
  }),
  client: section(CLIENT_OPTIONS),
}

/** Options of where a server in a program listens. */
export const ADDRESS_OPTIONS = addressOptions(DEFAULT_PORT)

/** A rule over series names and labels; `*` in a pattern stands for any text. */
export interface Match {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Rule that gives matching series a plot or a colour. */
export interface HintRule {
  readonly match: Match
  readonly plot?: string
  readonly color?: string
}

/** Settings that shape the answers to viewers, checked and complete. */
export type ServerSettings = Omit<
  ValuesOf<typeof SERVER_OPTIONS>,
  'include' | 'exclude' | 'hints'
> & {
  /** Matches of the series that are exported; empty = all. */
  readonly include: readonly Match[]
  /** Series that match one of these are not exported. */
  readonly exclude: readonly Match[]
  /** The first rule that matches decides; it beats the series' own metadata. */
  readonly hints: readonly HintRule[]
}

export const SERVER_DEFAULTS: ServerSettings = defaultsOf(SERVER_OPTIONS)

/** Options of a client in a program. */
export const OWN_CLIENT_OPTIONS = {
  ...addressOptions(DEFAULT_PORT),
  ...CLIENT_OPTIONS,
  connectTimeoutMs: integer({ default: 10_000, description: 'until the version has come' }),
  probeMs: integer({
    default: 3000,
    description: 'without a packet after the settings, the other framing is tried',
  }),
  idleTimeoutMs: integer({
    min: 0,
    default: 0,
    description: 'silence that ends the connection; 0 = by the sampling interval',
  }),
  frameCapBytes: bytes({ default: 16_777_216, description: 'largest frame or bare value' }),
  maxBadPackets: integer({ default: 100, description: 'in a row; then the client reconnects' }),
  maxSeries: integer({ default: 10_000, description: 'further names make no series' }),
  maxSeriesBytes: bytes({
    default: 33_554_432,
    description: 'memory of names and labels; what does not fit makes no series',
  }),
  ...reconnectOptions({ firstMs: 1000, limitMs: 30_000, jitter: 0.2 }),
}

/** Settings of a client, checked and complete. */
export type ClientSettings = ValuesOf<typeof OWN_CLIENT_OPTIONS>

export const CLIENT_DEFAULTS: ClientSettings = defaultsOf(OWN_CLIENT_OPTIONS)
