/** The overview's selection: made anew when list, findings or URL change what is shown. */
import { useEffect, useReducer, useRef } from 'preact/hooks'
import { dialectTitle } from '../format/status.ts'
import { type Page, usePage } from '../shell/page.ts'
import type { Route } from '../shell/route.ts'
import type { Entry } from '../store/catalogue.ts'
import { asksForOwn, type Group, groupEntries, selectEntries, sortEntries } from './select.ts'

export interface Selection {
  /** All series that the page would show without a filter. */
  readonly all: readonly Entry[]
  readonly found: readonly Entry[]
  /** Unusual ones among the found, the newest first. */
  readonly odd: readonly Entry[]
  readonly groups: readonly Group[]
}

function select(page: Page, route: Route): Selection {
  const { store } = page
  const { watch, catalogue } = store
  const isStale = (id: number): boolean => store.isStale(id)
  const isOwnShown = asksForOwn(route)
  const all = catalogue.entries.filter((entry) => isOwnShown || entry.info.dialect !== 'hub')
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
  const titleOf = (dialect: string): string => dialectTitle(store.sources, dialect)
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

export function useSelection(route: Route): Selection {
  const page = usePage()
  const [version, renew] = useReducer((count: number) => count + 1, 0)
  const kept = useRef<{ signature: string; selection: Selection; key: string } | undefined>(
    undefined,
  )
  const key = [version, route.q, route.kind, route.source, route.group, route.sort].join('\n')
  if (kept.current?.key !== key) {
    const selection = select(page, route)
    const signature = signatureOf(selection, page.store.catalogue.numbering)
    const isSame = kept.current?.signature === signature
    kept.current = { key, signature, selection: isSame ? kept.current!.selection : selection }
  }
  useEffect(() => {
    let isWaiting = false
    const apply = (): void => {
      isWaiting = false
      renew(undefined)
    }
    const onFindings = (): void => {
      if (isUnderPointer()) isWaiting = true
      else apply()
    }
    const onMove = (): void => {
      if (isWaiting && !isUnderPointer()) apply()
    }
    const { topics } = page.store
    const offs = [topics.on('catalogue', apply), topics.on('unusual', onFindings)]
    document.addEventListener('pointermove', onMove)
    return () => {
      for (const off of offs) off()
      document.removeEventListener('pointermove', onMove)
    }
  }, [page])
  return kept.current.selection
}
