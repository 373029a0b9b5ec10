/** The line above the board: where its lines come from, and what the trigger does. */
import type { JSX } from 'preact'
import { Icon } from '../../../web/shell/icon.tsx'
import { Name } from '../../../web/shell/parts.tsx'
import type { ScopeSession } from './session/session.ts'
import { eventName, eventTime, eventValue } from './side/trigger-panel.tsx'
import { intervalWords, type SourceState, sourceStates } from './status.ts'

/** Sources that are named one by one; of more, only how many there are. */
const NAMED_LIMIT = 3
/** Steps of a source without which it counts as offline, and what they are given besides, s. */
const SILENT_STEPS = 2
const SILENT_S = 5

function statesOf(session: ScopeSession): readonly SourceState[] {
  const { board, following, page, shown } = session
  const { store } = page
  const series = following.series.value
  const ofSource = new Map(series.map(({ name, source }) => [name, source]))
  const linesOf = (source: string) =>
    [...board.lines].filter(({ name }) => ofSource.get(name) === source)
  const isHubLost = store.clock.connection.value.state === 'lost'
  const nowMs = store.clock.nowMs()
  return sourceStates({
    sources: store.sources.value,
    names: [...new Set(series.map(({ source }) => source))],
    isHubLost,
    ageS: (source) => {
      const measured = linesOf(source).filter(({ log }) => log.firstTime !== undefined)
      const seen = measured.map(({ seenAt }) => seenAt)
      return seen.length === 0
        ? undefined
        : nowMs / 1000 - board.originMs / 1000 - Math.max(...seen)
    },
    timeoutS: (source) => {
      const steps = linesOf(source).map(({ log }) => log.stepS || 0)
      return Math.max(shown.timeoutS, SILENT_STEPS * Math.max(0, ...steps) + SILENT_S)
    },
    nowMs,
  })
}

function Badge({ isOnline }: { isOnline: boolean }): JSX.Element {
  return (
    <span class={isOnline ? 'badge online' : 'badge offline'}>
      <span class={isOnline ? 'dot' : 'dot error'} aria-hidden="true" />
      {isOnline ? 'ONLINE' : 'OFFLINE'}
    </span>
  )
}

function Source({ state }: { state: SourceState }): JSX.Element {
  return (
    <>
      <code class="cut">
        <Name text={state.name} />
      </code>
      <Badge isOnline={state.isOnline} />
      {state.trouble && <span class="error">{state.trouble}</span>}
      {state.facts.map((fact, i) => (
        <span key={fact} class={i < 2 ? 'soft' : 'muted'}>
          {fact}
        </span>
      ))}
    </>
  )
}

function Sources({ session }: { session: ScopeSession }): JSX.Element {
  // Ages grow and waiting times count down.
  session.page.store.clock.tick.value
  session.plots.value
  const states = statesOf(session)
  if (states.length === 0) {
    const { isLoaded } = session.page.store.catalogue
    return <span class="soft">{isLoaded ? 'No series' : 'Reading the list of series…'}</span>
  }
  if (states.length <= NAMED_LIMIT) {
    return (
      <>
        {states.map((state) => (
          <Source key={state.name} state={state} />
        ))}
        {session.isEmpty.value && states.some(({ isOnline }) => isOnline) && (
          <span class="soft">Connecting…</span>
        )}
        {states.every(({ facts }) => facts.length === 0) && (
          <span class="soft">{intervalWords(session.following.intervalS.value * 1000)}</span>
        )}
      </>
    )
  }
  const away = states.filter(({ isOnline }) => !isOnline)
  return (
    <>
      <span>{states.length} sources</span>
      <Badge isOnline={away.length === 0} />
      {away.slice(0, NAMED_LIMIT).map(({ name, trouble }) => (
        <span key={name} class="error">
          <Name text={name} /> {trouble}
        </span>
      ))}
    </>
  )
}

/** Says what the trigger does. */
function triggerWords(session: ScopeSession): string {
  session.events.value
  session.plots.value
  const { events, state } = session.board
  const { shown, latched } = events
  if (shown !== undefined) {
    const value = eventValue(session, shown)
    return `Stopped on ${eventName(session, shown)} ${value} at ${eventTime(session, shown)}`
  }
  if (latched !== undefined) {
    return state === 'live' ? 'Triggered, waiting for the middle' : 'Triggered while paused'
  }
  const { triggers } = session.shown
  if (triggers.length === 0) return ''
  const isThere = triggers.some(({ key }) => session.board.lineOf(key) !== undefined)
  return isThere ? 'Armed' : 'Armed, but its line is not there'
}

function Search({ session }: { session: ScopeSession }): JSX.Element {
  return (
    <search>
      <label class="field">
        <Icon name="search" />
        <input
          id="scope-filter"
          type="search"
          aria-label="Search plots and lines"
          placeholder="Search"
          value={session.shown.filter}
          onInput={(event) => session.change({ filter: event.currentTarget.value }, 'replace')}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <kbd>/</kbd>
      </label>
    </search>
  )
}

export function StatusLine({ session }: { session: ScopeSession }): JSX.Element {
  const words = triggerWords(session)
  const { isStill } = session.state.value
  const hasEvent = session.board.events.shown !== undefined
  return (
    <div class="scope-line">
      <Sources session={session} />
      <span class="grow" />
      {words !== '' && (
        <span class="row trigger-state">
          <span class="dot held" aria-hidden="true" />
          <span class={hasEvent ? 'strong cut' : 'soft cut'}>{words}</span>
        </span>
      )}
      <Search session={session} />
      <button type="button" class="button" onClick={() => session.page.togglePause()}>
        <Icon name={isStill ? 'play' : 'pause'} />
        {isStill ? 'Resume' : 'Pause'} <kbd>P</kbd>
      </button>
    </div>
  )
}
