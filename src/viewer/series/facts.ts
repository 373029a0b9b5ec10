/** What is known of one series besides its picture: since its start, and where it comes from. */
import type { StatisticsJson } from '../../http/api.ts'
import { exact, text, totalText } from '../format/number.ts'
import type { Shown } from '../format/rate.ts'
import { dialectTitle } from '../format/status.ts'
import { ageText, momentText } from '../format/time.ts'
import type { Entry } from '../store/catalogue.ts'
import type { Store } from '../store/store.ts'

type NumberFact = readonly [name: string, words: string]

/** Lists facts; a summary has no percentiles. */
function statisticsFacts(statistics: StatisticsJson, unit: string): readonly NumberFact[] {
  const { count, mean, min, median, p75, p95, p98, p99, p999, max, stddev } = statistics
  const rows: readonly (readonly [string, number | string | null | undefined])[] = [
    ['mean', mean],
    ['min', min],
    ['p50', median],
    ['p75', p75],
    ['p95', p95],
    ['p98', p98],
    ['p99', p99],
    ['p99.9', p999],
    ['max', max],
    ['deviation', stddev],
  ]
  const facts: NumberFact[] = [['count', exact(count)]]
  for (const [name, value] of rows) {
    if (value !== undefined) facts.push([name, value === null ? '–' : text(Number(value), unit)])
  }
  return facts
}

/** Lists numbers since the series began, as far as the hub has told them. */
export function sinceStart({ info }: Entry, shown: Shown): readonly NumberFact[] {
  const { kind, current, unit = '', statistics, rates, resets } = info
  if (statistics !== undefined) return statisticsFacts(statistics, unit)
  const facts: NumberFact[] = []
  if (kind === 'counter' && current !== null) facts.push(['total', totalText(current)])
  if (resets !== undefined) facts.push(['resets', exact(resets)])
  if (rates !== undefined) {
    const write = (rate: number): string => text(rate * shown.factor, shown.unit)
    facts.push(['mean rate', write(rates.mean)], ['1 min', write(rates.m1)])
    facts.push(['5 min', write(rates.m5)], ['15 min', write(rates.m15)])
  }
  return facts
}

/** Silence from which on an age is said as a warning, seconds. */
const SILENT_S = 60

export interface OriginFact {
  readonly name: string
  readonly words: string
  /** A label's value is text of a peer; an age may be a warning. */
  readonly manner: 'plain' | 'label' | 'warning'
}

/** Lists where a series comes from, since when, and its labels. */
export function originFacts({ id, info }: Entry, store: Store): readonly OriginFact[] {
  const now = store.clock.nowMs()
  const type = info.type === undefined ? '' : `, ${info.type}`
  const age = (now - store.lastDataMs(id)) / 1000
  const seen = ageText((now - info.firstSeenMs) / 1000)
  const plain = (name: string, words: string): OriginFact => ({ name, words, manner: 'plain' })
  if (info.isPast === true) {
    return [
      plain('source', dialectTitle(store.sources.value, info.dialect) + type),
      plain('address', info.source || '–'),
      plain('first data', momentText(info.firstSeenMs, now)),
      { name: 'last data', words: momentText(info.lastDataMs, now), manner: 'warning' },
      ...info.labels.map(([name, words]): OriginFact => ({ name, words, manner: 'label' })),
    ]
  }
  return [
    plain('source', dialectTitle(store.sources.value, info.dialect) + type),
    plain('address', info.source || '–'),
    { name: 'last data', words: ageText(age), manner: age >= SILENT_S ? 'warning' : 'plain' },
    plain('first seen', `${momentText(info.firstSeenMs, now)}, ${seen}`),
    ...info.labels.map(([name, words]): OriginFact => ({ name, words, manner: 'label' })),
    ...(info.bounds === undefined ? [] : [plain('bounds', boundsText(info))]),
    ...(info.plot === undefined ? [] : [plain('plot', info.plot)]),
  ]
}

function boundsText({ bounds = [], unit }: Entry['info']): string {
  return bounds.map((bound) => text(bound, unit)).join(', ')
}
