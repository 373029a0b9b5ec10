/** Options of scope's sides: their one home, with defaults and limits. */
import { parseColor } from '../../model/board/color.ts'
import { boolean, bytes, choice, integer, list, map, section, text } from '../options.ts'
import { STATISTICS } from '../snapshot-source.ts'

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

export const CLIENT_OPTIONS = {
  samplingIntervalNs: integer({ default: 100_000_000, description: 'asked of the exporter' }),
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

export const OPTIONS = {
  framing,
  handshakeTimeoutMs: integer({ default: 60_000, description: 'until the settings are complete' }),
  detectGraceMs: integer({
    default: 250,
    description: 'silence after which short settings are bare',
  }),
  settingsCapBytes: integer({
    min: 32,
    max: 53_136,
    default: 4096,
    description: 'largest settings',
  }),
  minIntervalNs: integer({
    default: 1_000_000,
    description: 'shorter requests are raised to it',
  }),
  infoIntervalMs: integer({ default: 5000, description: 'between two information packets' }),
  maxClients: integer({ default: 256, description: 'viewers at once' }),
  maxBufferedBytes: bytes({
    default: 8_388_608,
    description: 'per viewer; above it snapshots are skipped',
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
  select: list(choice(STATISTICS, { default: 'p99', description: 'statistic' }), {
    description: 'further values of distributions, as NAME.p99',
  }),
  client: section(CLIENT_OPTIONS),
}
