/** Overview: the meters, one filter line, what is unusual, then everything, without set-up. */

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { exact } from '../format/number.ts'
import { dialectTitle } from '../format/status.ts'
import { type Page, usePage } from '../shell/page.ts'
import { CopyButton, NoList } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Route, View } from '../shell/view.ts'
import { OWN_DIALECT } from '../store/catalogue.ts'
import { OVERVIEW, type OverviewState } from './address.ts'
import { FilterLine } from './filter-line.tsx'
import { GroupIndex, Groups } from './groups.tsx'
import { Meters } from './meters.tsx'
import { Ruler } from './ruler.tsx'
import { asksForOwn, groupEntries, type Selection, selectEntries, sortEntries } from './select.ts'

function select(page: Page, route: OverviewState): Selection {
  const { store } = page
  const { watch, catalogue } = store
  const isStale = (id: number): boolean => store.isStale(id)
  const isOwnShown = asksForOwn(route)
  const all = catalogue.entries.filter((entry) => isOwnShown || entry.info.dialect !== OWN_DIALECT)
  const found = selectEntries(catalogue.entries, route, isStale)
  const sorted = sortEntries(found, route.sort, {
    score: (id) => (watch.finding(id).since > 0 ? watch.finding(id).score : 0),
    ratio: (id) => watch.finding(id).ratio,
    rate: (id) => watch.rate(id),
    p99: (id) => (catalogue.get(id)?.info.kind === 'histogram' ? watch.lastValue(id) : Number.NaN),
  })
  const odd = found
    .filter(({ id }) => watch.finding(id).since > 0)
    .sort((a, b) => watch.finding(b.id).since - watch.finding(a.id).since || a.id - b.id)
  const titleOf = (dialect: string): string => dialectTitle(store.sources.peek(), dialect)
  return { all, found, odd, groups: groupEntries(sorted, route.group, titleOf, route.sort) }
}

/** Makes a signature: what has equal ones looks the same, and need not be rendered anew. */
function signatureOf({ all, odd, groups }: Selection, numbering: number): string {
  const list = groups.map(({ key, entries }) => `${key}:${entries.map(({ id }) => id).join(',')}`)
  return `${numbering} ${all.length} ${odd.map(({ id }) => id).join(',')} ${list.join(' ')}`
}

/** Tells whether the pointer is over the charts: a new order has to wait. */
function isUnderPointer(): boolean {
  return document.querySelector('.groups:hover') !== null
}

/**
 * Counts new lists and new findings. Findings wait while the pointer is over the charts, so that
 * nothing moves away from under it.
 */
function useNews({ store }: Page): number {
  const news = useSignal(0)
  useEffect(() => {
    let isWaiting = false
    const apply = (): void => {
      isWaiting = false
      news.value = news.peek() + 1
    }
    const offs = [
      store.catalogue.version.subscribe(apply),
      store.watch.version.subscribe(() => {
        if (isUnderPointer()) isWaiting = true
        else apply()
      }),
    ]
    const onMove = (): void => {
      if (isWaiting && !isUnderPointer()) apply()
    }
    document.addEventListener('pointermove', onMove)
    return () => {
      for (const off of offs) off()
      document.removeEventListener('pointermove', onMove)
    }
  }, [store, news])
  return news.value
}

function useSelection(state: OverviewState): Selection {
  const page = usePage()
  const news = useNews(page)
  const { q, kind, source, group, sort } = state
  const selection = useMemo(() => select(page, state), [page, news, q, kind, source, group, sort])
  const signature = signatureOf(selection, page.store.catalogue.numbering)
  return useMemo(() => selection, [signature])
}

function filterWords({ q, kind, source }: OverviewState): string {
  return [q, kind && `kind=${kind}`, source && `dialect=${source}`].filter(Boolean).join(' ')
}

function NoMatch({ state }: { state: OverviewState }): JSX.Element {
  const { navigation } = usePage()
  return (
    <p class="group soft">
      No series matches “{filterWords(state)}”.{' '}
      <button
        type="button"
        class="link"
        onClick={() => navigation.go(to(OVERVIEW, { q: '', kind: '', source: '' }))}
      >
        Clear the filter
      </button>
    </p>
  )
}

/** The count after filtering is said once typing rests. */
const SAY_AFTER_MS = 600

function useSpokenCount({ q, kind, source }: OverviewState, { found, all }: Selection): void {
  const page = usePage()
  const isFiltered = q !== '' || kind !== '' || source !== ''
  const words = `${exact(found.length)} of ${exact(all.length)} series`
  useEffect(() => {
    if (!isFiltered) return
    const timer = setTimeout(() => page.announce(words), SAY_AFTER_MS)
    return () => clearTimeout(timer)
  }, [page, isFiltered, q, kind, source])
}

function Overview({ route }: { route: Route<OverviewState> }): JSX.Element {
  const { store, views } = usePage()
  const { state } = route
  const selection = useSelection(state)
  const { density } = state
  const { all, found, odd } = selection
  const showsOdd = odd.length > 0 && density !== 'table' && state.q === ''
  useSpokenCount(state, selection)
  const groups = useMemo(
    () => <Groups selection={selection} density={density} showsOdd={showsOdd} />,
    [selection, density, showsOdd],
  )
  const isEmpty = store.catalogue.isLoaded && all.length === 0
  return (
    <>
      {!isEmpty && <h1 class="hidden-text">Overview</h1>}
      <Meters />
      <NoList />
      {isEmpty && <Empty />}
      {!isEmpty && store.catalogue.isLoaded && (
        <>
          <FilterLine state={state} all={all} found={found.length} />
          {state.q === '' &&
            views.map((view) => view.overviewPanel && <view.overviewPanel key={view.dialect} />)}
          <div class="overview">
            <GroupIndex selection={selection} showsOdd={showsOdd} />
            <div class="flow">
              <div class={`groups by-${density}`}>
                {found.length > 0 ? groups : <NoMatch state={state} />}
              </div>
              {found.length > 0 && <Ruler density={density} />}
            </div>
          </div>
        </>
      )}
    </>
  )
}

const SEND = 'Send it one line and the chart appears:'
const ATTACH = 'Attach a viewer, it shows what the hub holds:'

/**
 * Shows, while nothing has arrived yet, one line to send per dialect, with the address it really
 * listens on.
 */
function Empty(): JSX.Element {
  const { store, views } = usePage()
  const wordsOf = (dialect: string): string | undefined =>
    views.find((view) => view.dialect === dialect)?.exampleWords
  const steps = (store.sources.value?.dialects ?? [])
    .filter(({ tryIt }) => tryIt !== '')
    .map(({ name, title, role, tryIt, address }) => ({
      title,
      purpose: wordsOf(name) ?? (role === 'emit' ? ATTACH : SEND),
      command: tryIt,
      note: address,
    }))
  return (
    <section class="empty">
      <h1>Nothing has arrived yet</h1>
      <p class="soft">
        The hub is listening. What arrives appears here by itself, within a second.
      </p>
      <ul>
        {steps.map(({ title, purpose, command, note }) => (
          <li key={title}>
            <span class="strong">{title}</span>
            <div>
              <p class="small soft">{purpose}</p>
              <pre>{command}</pre>
              <span class="small muted">{note}</span>
            </div>
            <CopyButton text={command} what={`command for ${title}`} />
          </li>
        ))}
      </ul>
    </section>
  )
}

export const view: View<OverviewState> = {
  screen: {
    address: OVERVIEW,
    title: () => 'Overview',
    tab: 'Overview',
    key: 'o',
    up: () => to(OVERVIEW, { kind: '' }),
    component: Overview,
  },
}
