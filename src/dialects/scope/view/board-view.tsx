/** The board: plots in columns, what is set beside them, and the keys below. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { divisionS } from '../../../model/board/time-grid.ts'
import { NO_BREAK_SPACE } from '../../../viewer/format/number.ts'
import { TablesSwitch } from '../../../web/chart-file/chart-tools.tsx'
import { Icon } from '../../../web/shell/icon.tsx'
import { lazy, PartNotLoaded } from '../../../web/shell/lazy.tsx'
import { NoList } from '../../../web/shell/parts.tsx'
import { PlotPanel } from './plot/plot-panel.tsx'
import type { ScopeSession } from './session/session.ts'
import { AveragePanel, RangePanel } from './side/axis-panels.tsx'
import { BoardPanel } from './side/board-panel.tsx'
import { SeriesPanel } from './side/series-panel.tsx'
import { EventsPanel, TriggerPanel } from './side/trigger-panel.tsx'
import { StatusLine } from './status-line.tsx'

/** Words for a board without lines, fetched by those that have none. */
const Start = lazy(async () => (await import('./start.tsx')).Start, PartNotLoaded)

const KEY_WORDS = [
  ['L', 'legend'],
  ['P', 'pause, resume'],
  ['F5', 'reset, clear trigger'],
  ['Drag', 'move'],
  ['Ctrl wheel', 'zoom'],
  ['N B', 'next, previous event'],
] as const

function Plots({ session }: { session: ScopeSession }): JSX.Element {
  const plots = session.plots.value
  const { columns, aspect, filter } = session.shown
  const isFree = aspect !== null
  // fewer plots than columns fill the width all the same
  const shownColumns = Math.min(columns, Math.max(1, plots.length))
  return (
    <div
      class={isFree ? 'board free' : 'board'}
      style={{ '--columns': String(shownColumns), '--aspect': String(aspect ?? 1) }}
    >
      {plots.map((plot) => (
        <PlotPanel key={plot.name} session={session} plot={plot} />
      ))}
      {plots.length === 0 && filter !== '' && (
        <p class="soft">
          No plot matches “{filter}”.{' '}
          <button type="button" class="link" onClick={() => session.change({ filter: '' })}>
            Clear the search
          </button>
        </p>
      )}
    </div>
  )
}

/** Shows the newest note, and how many others there are, which it unfolds. */
function Notes({ session }: { session: ScopeSession }): JSX.Element {
  const [isUnfolded, unfold] = useState(false)
  const notes = session.notes.value.toReversed()
  const others = notes.length - 1
  return (
    <div role="status">
      {notes.slice(0, isUnfolded ? notes.length : 1).map((note, i) => (
        <p key={note} class="scope-note">
          <Icon name="warn" />
          <span class="grow words">{note}</span>
          {i === 0 && others > 0 && (
            <button
              type="button"
              class="link small"
              aria-expanded={isUnfolded}
              onClick={() => unfold(!isUnfolded)}
            >
              {isUnfolded ? 'Only this' : `${others} more`}
            </button>
          )}
          <button
            type="button"
            class="icon"
            aria-label="Dismiss"
            onClick={() => session.dismissNote(note)}
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  )
}

function KeysLine({ session }: { session: ScopeSession }): JSX.Element {
  const seconds = divisionS({ from: 0, to: session.window.value })
  return (
    <div class="keys-line">
      {KEY_WORDS.map(([key, what]) => (
        <span key={key}>
          <kbd>{key}</kbd> {what}
        </span>
      ))}
      <span class="grow" />
      <span>
        10 divisions, {Number(seconds.toPrecision(3))}
        {NO_BREAK_SPACE}s each
      </span>
    </div>
  )
}

export function BoardView({ session }: { session: ScopeSession }): JSX.Element {
  const { catalogue } = session.page.store
  catalogue.version.value
  const isNothing = session.following.series.value.length === 0 && session.plots.value.length === 0
  return (
    <div class="scope">
      <StatusLine session={session} />
      <Notes session={session} />
      {isNothing && session.shown.filter === '' ? (
        <div class="scope-start">
          <NoList />
          {catalogue.isLoaded && <Start session={session} />}
        </div>
      ) : (
        <div class="scope-main">
          <div class="boards">
            <Plots session={session} />
            <TablesSwitch />
          </div>
          <aside aria-label="Scope settings">
            <div class="settings">
              <TriggerPanel session={session} />
              <EventsPanel session={session} />
              <RangePanel session={session} />
              <AveragePanel session={session} />
              <BoardPanel session={session} />
              <SeriesPanel session={session} />
            </div>
          </aside>
        </div>
      )}
      <KeysLine session={session} />
    </div>
  )
}
