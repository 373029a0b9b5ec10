/** The overview's selection: made anew when list, findings or URL change what is shown. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { dialectTitle } from '../format/status.ts'
import { type Page, usePage } from '../shell/page.ts'
import { type Entry, OWN_DIALECT } from '../store/catalogue.ts'
import type { OverviewState } from './address.ts'
import { asksForOwn, type Group, groupEntries, selectEntries, sortEntries } from './select.ts'

export interface Selection {
  /** All series that the page would show without a filter. */
  readonly all: readonly Entry[]
  readonly found: readonly Entry[]
  /** Unusual ones among the found, the newest first. */
  readonly odd: readonly Entry[]
  readonly groups: readonly Group[]
}

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

/** Equal signatures look the same: nothing has to be rendered anew. */
function signatureOf({ all, odd, groups }: Selection, numbering: number): string {
  const list = groups.map(({ key, entries }) => `${key}:${entries.map(({ id }) => id).join(',')}`)
  return `${numbering} ${all.length} ${odd.map(({ id }) => id).join(',')} ${list.join(' ')}`
}

/** A new order is applied only when the pointer is not over the charts. */
function isUnderPointer(): boolean {
  return document.querySelector('.groups:hover') !== null
}

/**
 * Rises when there is a new list, or new findings. Those wait while the pointer is over the charts,
 * so that nothing moves away from under it.
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

export function useSelection(state: OverviewState): Selection {
  const page = usePage()
  const news = useNews(page)
  const { q, kind, source, group, sort } = state
  const selection = useMemo(() => select(page, state), [page, news, q, kind, source, group, sort])
  const signature = signatureOf(selection, page.store.catalogue.numbering)
  return useMemo(() => selection, [signature])
}
