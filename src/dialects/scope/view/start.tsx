/** What a board says that has nothing to show: why, and how that changes. */
import type { JSX } from 'preact'
import { sourceOf } from '../../../viewer/board/measures.ts'
import { CopyButton, Name } from '../../../web/shell/parts.tsx'
import { exporters } from './session/selection.ts'
import type { ScopeSession } from './session/session.ts'
import { AddField } from './side/series-panel.tsx'

const SOURCES_SHOWN = 12
const ATTACH = 'pentameter serve --attach scope://10.0.40.12:5001?interval=20ms'

function Choices({ session }: { session: ScopeSession }): JSX.Element | null {
  const counts = new Map<string, number>()
  for (const entry of session.page.store.catalogue.entries) {
    const source = sourceOf(entry)
    counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  const list = [...counts].sort((a, b) => b[1] - a[1]).slice(0, SOURCES_SHOWN)
  if (list.length === 0) return null
  return (
    <>
      <p>Any series can be put on the board. All of a source:</p>
      <ul class="scope-choices">
        {list.map(([source, count]) => (
          <li key={source}>
            <button
              type="button"
              class="link"
              onClick={() => session.change({ sources: [source] })}
            >
              <Name text={source} />
            </button>{' '}
            <span class="muted">{count} series</span>
          </li>
        ))}
      </ul>
      <p>Or some, by words:</p>
      <AddField session={session} />
    </>
  )
}

function askedOf({ shown: { sources, series } }: ScopeSession): string[] {
  return [...sources, ...series]
}

function AddedWords({ session }: { session: ScopeSession }): JSX.Element | null {
  const asked = askedOf(session)
  if (asked.length === 0) return null
  return (
    <p>
      Nothing is known here of{' '}
      {asked.map((each, i) => [
        i > 0 && ', ',
        <code key={each}>
          <Name text={each} />
        </code>,
      ])}
      . It appears once it comes.{' '}
      <button
        type="button"
        class="link"
        onClick={() => session.change({ sources: [], series: [] })}
      >
        Choose anew
      </button>
    </p>
  )
}

export function Start({ session }: { session: ScopeSession }): JSX.Element {
  const attached = exporters(session.page.store.sources.value)
  const isUnchosen = askedOf(session).length === 0
  return (
    <>
      <h1>Nothing to draw yet</h1>
      <AddedWords session={session} />
      {attached.length === 0 && (
        <p>
          This hub reads no exporter. Started with one it shows its plots here:{' '}
          <code>{ATTACH}</code> <CopyButton text={ATTACH} what="the command" />
        </p>
      )}
      {attached.length > 0 && isUnchosen && (
        <p>
          {attached.map(({ name }) => name).join(', ')}{' '}
          {attached.every(({ state }) => state === 'connected')
            ? 'sent no values yet.'
            : 'not reached yet.'}
        </p>
      )}
      <Choices session={session} />
    </>
  )
}
