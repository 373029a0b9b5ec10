/** Options of the filters that a hub runs, and of their names: their one home. */
import { choice, integer, list, number, section, text, type ValuesOf } from '../options.ts'
import { LabelPatterns } from './label-patterns.ts'
import { checkFilterName } from './names.ts'
import {
  METRIC_NAMES,
  NAME_LENGTH_MAX,
  NAME_LENGTH_MIN,
  SLAB_SIZE_DEFAULT,
  slabSizeProblem,
  WORKERS_LIMIT,
} from './store/filter-settings.ts'
import { histogramProblem } from './store/histogram-rule.ts'

const LABEL_PATTERN_OPTIONS = {
  label: text({ isRequired: true, description: 'key of the label' }),
  pattern: text({
    isRequired: true,
    description: 'regular expression: group 1 is the piece of the name, group 2 the value',
  }),
}

const FILTER_OPTIONS = {
  name: text({
    isRequired: true,
    lengthMin: 1,
    description: 'of the filter: label of its metrics, answer to plugin_name',
  }),
  path: text({
    isRequired: true,
    lengthMin: 1,
    description: 'of the .wasm or .wat file, from the folder that the hub is started in',
  }),
  host: choice(['spec', 'nginx', 'envoy'], {
    default: 'spec',
    description: 'whose answers to metric calls the filter gets',
  }),
  profile: choice(['document', 'peer'], {
    default: 'document',
    description: 'pw.FILTER.NAME or pw:FILTER:NAME: matters to ids of host nginx',
  }),
  configuration: text({ default: '', description: 'what proxy_on_configure reads' }),
  vmConfiguration: text({ default: '', description: 'what proxy_on_vm_start reads' }),
  rootId: text({ description: 'answer to plugin_root_id; the name' }),
  labelPatterns: list(section(LABEL_PATTERN_OPTIONS), {
    description: 'labels written into names',
  }),
  unit: text({ description: 'of its histograms; filters know none' }),
  histogram: text({
    isNumbers: true,
    check: histogramProblem,
    description: 'form or bounds of its histograms, in place of those of all filters',
  }),
  requestsPerSecond: number({
    min: 0,
    max: 100_000,
    default: 0,
    description: 'requests invented for it; 0 = it gets its ticks only',
  }),
  callTimeoutMs: integer({
    default: 1000,
    description: 'a call that takes longer ends the filter',
  }),
  metricsPerFilterLimit: integer({ default: 10_000, description: 'further ones are refused' }),
  memoryPagesLimit: integer({ max: 65_536, default: 1024, description: '64 KiB each' }),
}

export type FilterConfig = ValuesOf<typeof FILTER_OPTIONS>

const filter = section(FILTER_OPTIONS, {
  check({ name, profile, labelPatterns }) {
    return (
      problemOf('name', () => checkFilterName(name, profile)) ??
      problemOf('labelPatterns', () => new LabelPatterns(labelPatterns))
    )
  },
})

export const OPTIONS = {
  filters: list(filter, {
    description: 'Proxy-Wasm filters that the hub runs',
    check(filters) {
      const names = new Set(filters.map(({ name }) => name))
      return names.size === filters.length ? undefined : 'want each name once'
    },
  }),
  slabSize: text({
    default: SLAB_SIZE_DEFAULT,
    isAmount: true,
    check: slabSizeProblem,
    description: 'of all metrics of all filters, bytes or as 512k; further ones are refused',
  }),
  maxMetricNameLength: integer({
    min: NAME_LENGTH_MIN,
    max: NAME_LENGTH_MAX,
    default: 256,
    description: 'bytes of a filter’s metric name with its prefix pw.FILTER.',
  }),
  histogram: text({
    default: 'dense',
    isNumbers: true,
    check: histogramProblem,
    description: 'all 33 bins, the document’s 5 to 18 (expanding), or bounds of bins as 1,5,10',
  }),
  workers: integer({
    max: WORKERS_LIMIT,
    default: 1,
    description: 'threads of each filter, which take its requests in turns',
  }),
  metricNames: choice(METRIC_NAMES, {
    default: 'label',
    description: 'filters by the label filter, or as pw.FILTER. in front of names',
  }),
  prometheusNames: choice(['labels', 'flat'], {
    default: 'labels',
    description: 'filters by a label, or as pw_FILTER_NAME',
  }),
}

function problemOf(option: string, check: () => void) {
  try {
    check()
    return undefined
  } catch (error) {
    return { option, wanted: (error as Error).message }
  }
}
