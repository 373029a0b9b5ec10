/** Overview: the meters, one filter line, what is unusual, then everything, without set-up. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { SlowestOfAll } from '../../dialects/wallaroo/view/application/slowest.tsx'
import { exact } from '../format/number.ts'
import { usePage } from '../shell/page.ts'
import type { Route } from '../shell/route.ts'
import { Empty } from './empty.tsx'
import { FilterLine } from './filter-line.tsx'
import { GroupIndex, Groups } from './groups.tsx'
import { Meters } from './meters.tsx'
import { Ruler } from './ruler.tsx'
import { type Selection, useSelection } from './selection.ts'

function filterWords({ q, kind, source }: Route): string {
  return [q, kind && `kind=${kind}`, source && `dialect=${source}`].filter(Boolean).join(' ')
}

function NoMatch({ route }: { route: Route }): JSX.Element {
  const { navigation } = usePage()
  return (
    <p class="group soft">
      No series matches “{filterWords(route)}”.{' '}
      <button
        type="button"
        class="link"
        onClick={() => navigation.go({ q: '', kind: '', source: '' })}
      >
        Clear the filter
      </button>
    </p>
  )
}

/** The count after filtering is said once typing rests. */
const SAY_AFTER_MS = 600

function useSpokenCount({ q, kind, source }: Route, { found, all }: Selection): void {
  const page = usePage()
  const isFiltered = q !== '' || kind !== '' || source !== ''
  const words = `${exact(found.length)} of ${exact(all.length)} series`
  useEffect(() => {
    if (!isFiltered) return
    const timer = setTimeout(() => page.announce(words), SAY_AFTER_MS)
    return () => clearTimeout(timer)
  }, [page, isFiltered, q, kind, source])
}

export function Overview({ route }: { route: Route }): JSX.Element {
  const { store } = usePage()
  const selection = useSelection(route)
  const { density } = route
  const { all, found, odd } = selection
  const showsOdd = odd.length > 0 && density !== 'table' && route.q === ''
  useSpokenCount(route, selection)
  const groups = useMemo(
    () => <Groups selection={selection} density={density} showsOdd={showsOdd} />,
    [selection, density, showsOdd],
  )
  const isEmpty = store.catalogue.isLoaded && all.length === 0
  return (
    <>
      {!isEmpty && <h1 class="hidden-text">Overview</h1>}
      <Meters route={route} />
      {isEmpty && <Empty />}
      {!isEmpty && store.catalogue.isLoaded && (
        <>
          <FilterLine route={route} all={all} found={found.length} />
          {route.q === '' && <SlowestOfAll />}
          <div class="overview">
            <GroupIndex selection={selection} showsOdd={showsOdd} />
            <div class="flow">
              <div class={`groups by-${density}`}>
                {found.length > 0 ? groups : <NoMatch route={route} />}
              </div>
              {found.length > 0 && <Ruler density={density} />}
            </div>
          </div>
        </>
      )}
    </>
  )
}
