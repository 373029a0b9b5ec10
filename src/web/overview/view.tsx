/** Overview: the meters, one filter line, what is unusual, then everything, without set-up. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { exact } from '../format/number.ts'
import { usePage } from '../shell/page.ts'
import { CopyButton } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Route, View } from '../shell/view.ts'
import { OVERVIEW, type OverviewState } from './address.ts'
import { FilterLine } from './filter-line.tsx'
import { GroupIndex, Groups } from './groups.tsx'
import { Meters } from './meters.tsx'
import { Ruler } from './ruler.tsx'
import { type Selection, useSelection } from './select.ts'

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

/** Nothing has arrived yet: one line to send per dialect, with the address it really listens on. */
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
