/** The one filter line: words, kinds, grouping, order, density. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { exact } from '../../viewer/format/number.ts'
import type { Per } from '../../viewer/format/rate.ts'
import { labelNames } from '../../viewer/series/select.ts'
import type { Sort } from '../../viewer/series/selection.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { Icon } from '../shell/icon.tsx'
import { usePage } from '../shell/page.ts'
import { Pick } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import {
  DENSITIES,
  type Density,
  KINDS,
  type KindChoice,
  OVERVIEW,
  type OverviewState,
} from './address.ts'

const FILTER_ID = 'filter'

const KIND_WORDS: Readonly<Record<(typeof KINDS)[number], string>> = {
  counter: 'Counters',
  gauge: 'Gauges',
  histogram: 'Histograms',
  summary: 'Summaries',
}
const SORT_WORDS: Readonly<Record<Sort, string>> = {
  unusual: 'Unusual first',
  name: 'Name',
  rate: 'Rate',
  change: 'Change',
  p99: 'p99',
}
const GROUP_WORDS: readonly (readonly [string, string])[] = [
  ['prefix', 'Prefix'],
  ['source', 'Source'],
  ['kind', 'Kind'],
  ['none', 'Nothing'],
]
const PER_WORDS: readonly (readonly [Per, string])[] = [
  ['', 'As sent'],
  ['s', 'Per second'],
  ['min', 'Per minute'],
  ['h', 'Per hour'],
]
const DENSITY_WORDS = { charts: 'Charts', lines: 'Lines', table: 'Table' } as const

interface FilterLineProps {
  readonly state: OverviewState
  readonly all: readonly Entry[]
  readonly found: number
}

/** Goes to the top of the results, where the page is scrolled beyond it. */
function showResults(): void {
  const results = document.querySelector('.flow')
  if (results === null) return
  const above = results.getBoundingClientRect().top
  const covered = Number.parseFloat(getComputedStyle(results).scrollMarginTop) || 0
  if (above < covered) scrollTo(0, scrollY + above - covered)
}

function FilterField({ q }: { q: string }): JSX.Element {
  const { navigation } = usePage()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // Back, forward and "Clear the filter" change what stands in the field. The `q` of this render
    // may be older than what has been typed since; the route is not.
    const text = navigation.state(OVERVIEW).q
    if (input.current && input.current.value !== text) input.current.value = text
  }, [navigation, q])
  const isTyped = useRef(false)
  useLayoutEffect(() => {
    if (isTyped.current) showResults()
    isTyped.current = false
  }, [q])
  return (
    <div class="field">
      <Icon name="search" />
      <input
        ref={input}
        id={FILTER_ID}
        type="search"
        placeholder="Name or label=value"
        aria-label="Filter series"
        autoComplete="off"
        spellcheck={false}
        defaultValue={q}
        onInput={(event) => {
          isTyped.current = true
          navigation.go(to(OVERVIEW, { q: event.currentTarget.value }), 'replace')
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span class="keycap" aria-hidden="true">
        /
      </span>
    </div>
  )
}

function Kinds({ state, all }: Omit<FilterLineProps, 'found'>): JSX.Element {
  const { navigation } = usePage()
  const counts = new Map<string, number>()
  for (const { info } of all) counts.set(info.kind, (counts.get(info.kind) ?? 0) + 1)
  // Few senders have summaries: the button is there when they are.
  const kinds = KINDS.filter((kind) => kind !== 'summary' || counts.has(kind))
  const toggle = (kind: KindChoice): void =>
    navigation.go(to(OVERVIEW, { kind: state.kind === kind ? '' : kind }))
  return (
    // biome-ignore lint/a11y/useSemanticElements: toggle buttons, not fields of a form
    <div class="segments kinds" role="group" aria-label="Kind">
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={state.kind === kind}
          onClick={() => toggle(kind)}
        >
          {KIND_WORDS[kind]} <span class="muted">{exact(counts.get(kind) ?? 0)}</span>
        </button>
      ))}
    </div>
  )
}

function Densities({ shown }: { shown: Density }): JSX.Element {
  const { navigation } = usePage()
  return (
    // biome-ignore lint/a11y/useSemanticElements: toggle buttons, not fields of a form
    <div class="segments" role="group" aria-label="Density">
      {DENSITIES.map((density) => (
        <button
          key={density}
          type="button"
          title={`${DENSITY_WORDS[density]} (D)`}
          aria-label={DENSITY_WORDS[density]}
          aria-pressed={shown === density}
          onClick={() => navigation.go(to(OVERVIEW, { density }))}
        >
          <Icon name={density} />
        </button>
      ))}
    </div>
  )
}

export function FilterLine({ state, all, found }: FilterLineProps): JSX.Element {
  const page = usePage()
  const { navigation } = page
  const labels = labelNames(all).map((name) => [`label:${name}`, name] as const)
  const sorts = Object.entries(SORT_WORDS) as [Sort, string][]
  const words =
    found === all.length
      ? `${exact(found)} series`
      : `${exact(found)} of ${exact(all.length)} series`
  const { past: list, watch } = page.store
  const past = list.note.value
  const isLearning = watch.version.value > 0 && watch.isLearning()
  const usual = state.sort === 'unusual' && isLearning ? 'usual not known yet' : ''
  return (
    <search class="filters">
      <FilterField q={state.q} />
      <Kinds state={state} all={all} />
      <span class="grow" />
      <span class="count">{[words, past, usual].filter(Boolean).join(', ')}</span>
      <Pick
        caption="Group"
        value={state.group}
        choices={[...GROUP_WORDS, ...labels]}
        choose={(group) => navigation.go(to(OVERVIEW, { group }))}
      />
      {all.some(({ info }) => info.kind === 'counter') && (
        <Pick
          caption="Rates"
          value={page.per}
          choices={PER_WORDS}
          choose={(per) => navigation.span({ per: per as Per })}
        />
      )}
      <Pick
        caption="Sort"
        value={state.sort}
        choices={sorts}
        choose={(sort) => navigation.go(to(OVERVIEW, { sort: sort as Sort }))}
      />
      <Densities shown={state.density} />
    </search>
  )
}
