/** Overview: the meters, one filter line, what is unusual, then everything, without set-up. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { exact } from '../../viewer/format/number.ts'
import type { Selection } from '../../viewer/series/select.ts'
import { selectSeries } from '../../viewer/series/selection.ts'
import { SeriesPage } from '../series/view.tsx'
import { usePrefetch } from '../shell/lazy.tsx'
import { type Page, usePage, usePastSeries } from '../shell/page.ts'
import { NoList } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Route, View } from '../shell/view.ts'
import { type Density, OVERVIEW, type OverviewState } from './address.ts'
import { Empty } from './empty.tsx'
import { FilterLine } from './filter-line.tsx'
import { GroupIndex } from './list/group-index.tsx'
import { columnsOf, Groups } from './list/groups.tsx'
import { type Reveal, useAnchor } from './list/reveal.ts'
import { useWidth } from './list/viewport.ts'
import { Meters } from './meters.tsx'
import { Ruler } from './ruler.tsx'

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
  const { window, at } = page.navigation.route.value
  usePastSeries(q)
  const selection = useMemo(
    () => selectSeries(page.store, state),
    [page, news, q, kind, source, group, sort, window, at],
  )
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

const LEADS_TO = [SeriesPage]

function Overview({ route }: { route: Route<OverviewState> }): JSX.Element {
  const { store, views } = usePage()
  const { state } = route
  const selection = useSelection(state)
  const { density } = state
  const { all, found, odd } = selection
  const showsOdd = odd.length > 0 && density !== 'table' && state.q === ''
  useSpokenCount(state, selection)
  usePrefetch(LEADS_TO)
  const isEmpty = store.catalogue.isLoaded && all.length === 0
  return (
    <>
      {!isEmpty && <h1 class="hidden-text">Overview</h1>}
      <Meters isEmpty={isEmpty} />
      <NoList />
      {isEmpty && <Empty />}
      {!isEmpty && store.catalogue.isLoaded && (
        <>
          <FilterLine state={state} all={all} found={found.length} />
          {state.q === '' &&
            views.map((view) => view.overviewPanel && <view.overviewPanel key={view.dialect} />)}
          <Lists {...{ selection, density, showsOdd }}>
            <NoMatch state={state} />
          </Lists>
        </>
      )}
    </>
  )
}

interface ListsProps {
  readonly selection: Selection
  readonly density: Density
  readonly showsOdd: boolean
  /** Words where nothing is found. */
  readonly children: ComponentChildren
}

/** Shows the series, their index and their axis of time. */
function Lists({ selection, density, showsOdd, children }: ListsProps): JSX.Element {
  const flow = useRef<HTMLDivElement>(null)
  const reveal = useRef<Reveal>(null)
  const width = useWidth(flow)
  const columns = columnsOf(density, width)
  useAnchor(reveal, width > 0)
  const list = useMemo(
    () => <Groups {...{ selection, density, columns, showsOdd, reveal }} />,
    [selection, density, columns, showsOdd],
  )
  const isFound = selection.found.length > 0
  return (
    <div class="overview">
      <GroupIndex {...{ selection, showsOdd, reveal }} />
      <div class="flow" ref={flow}>
        {isFound ? width > 0 && list : children}
        {isFound && <Ruler density={density} columns={columns} />}
      </div>
    </div>
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
