/** Options of what the hub scrapes: their one home, with defaults and limits. */
import {
  boolean,
  bytes,
  choice,
  integer,
  list,
  map,
  section,
  text,
  type ValuesOf,
} from '../options.ts'
import { ACTIONS, ruleProblem } from './relabel.ts'
import { BODY_BYTES_LIMIT, LABELS_LIMIT, METRICS_PATH, SAMPLES_LIMIT } from './spec.ts'

/** Longest interval, a day, ms. */
export const INTERVAL_MS_MAX = 86_400_000
export const INTERVAL_MS_MIN = 100

const RULE_OPTIONS = {
  sourceLabels: list(text({ default: '', description: 'label' }), {
    description: 'labels whose values, joined, the expression is held against',
  }),
  separator: text({ default: ';', description: 'between the joined values' }),
  regex: text({
    default: '(.*)',
    description: 'expression that all of the text has to match; of names for label…',
  }),
  targetLabel: text({ default: '', description: 'label that replace sets' }),
  replacement: text({ default: '$1', description: 'its value; $1 is a group, as Go expands it' }),
  action: choice(ACTIONS, { default: 'replace', description: 'of Prometheus’ relabel_config' }),
}
const rule = section(RULE_OPTIONS, { check: ruleProblem })

const JOB_OPTIONS = {
  name: text({ isRequired: true, lengthMin: 1, description: 'label job of its series' }),
  targets: list(text({ default: '', lengthMin: 1, description: 'address' }), {
    description: 'HOST:PORT, or http://HOST:PORT/PATH?QUERY',
  }),
  scheme: choice(['http', 'https'], { default: 'http', description: 'of targets that name none' }),
  path: text({
    default: METRICS_PATH,
    check: (path) => (path.startsWith('/') ? undefined : 'want a path that begins with /'),
    description: 'of targets that name none',
  }),
  labels: map(text({ default: '', description: 'value' }), {
    description: 'further labels of its targets',
  }),
  intervalMs: integer({
    min: 0,
    max: INTERVAL_MS_MAX,
    default: 0,
    description: 'between scrapes, at least 100; 0 = scraping.intervalMs',
  }),
  timeoutMs: integer({
    min: 0,
    max: INTERVAL_MS_MAX,
    default: 0,
    description: 'for an answer, never longer than the interval; 0 = scraping.timeoutMs',
  }),
  honorLabels: boolean({
    default: false,
    description: 'labels of samples win over those of the target, and are not renamed',
  }),
  relabel: list(rule, { description: 'rules for targets, one after the other' }),
  metricRelabel: list(rule, { description: 'rules for samples, with their name as __name__' }),
}
export type JobConfig = ValuesOf<typeof JOB_OPTIONS>

export const OPTIONS = {
  jobs: list(section(JOB_OPTIONS), {
    description: 'targets to scrape, with rules for them and for their samples',
    check(jobs) {
      const names = new Set(jobs.map(({ name }) => name))
      return names.size === jobs.length ? undefined : 'want each name once'
    },
  }),
  intervalMs: integer({
    min: INTERVAL_MS_MIN,
    max: INTERVAL_MS_MAX,
    default: 15_000,
    description: 'between scrapes of a target whose address or job names none',
  }),
  timeoutMs: integer({
    min: INTERVAL_MS_MIN,
    max: INTERVAL_MS_MAX,
    default: 10_000,
    description: 'for an answer, where neither names one; never longer than the interval',
  }),
  nativeHistograms: boolean({
    default: true,
    description: 'ask for protobuf first, which alone has native histograms',
  }),
  bodyBytesLimit: bytes({
    max: 268_435_456,
    default: BODY_BYTES_LIMIT,
    description: 'of an answer, unpacked; a longer one fails the scrape',
  }),
  samplesLimit: integer({
    default: SAMPLES_LIMIT,
    description: 'samples of an answer that rules leave; more of them fail the scrape',
  }),
  labelsLimit: integer({
    max: LABELS_LIMIT,
    default: LABELS_LIMIT,
    description: 'labels of a sample, those of its target among them; one with more is refused',
  }),
}
export type ScrapingOptions = ValuesOf<typeof OPTIONS>
