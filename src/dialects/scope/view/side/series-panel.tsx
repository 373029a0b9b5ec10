/** What is on the board: sources and series, added and taken away, and lines in other plots. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { parseStatistic, STANDARD_STATISTIC, sourceOf } from '../../../../viewer/board/measures.ts'
import { selectEntries } from '../../../../viewer/series/select.ts'
import { Name } from '../../../../web/shell/parts.tsx'
import { exporters, LINES_LIMIT } from '../session/selection.ts'
import type { ScopeSession } from '../session/session.ts'
import { Choose, SetRow, TextField } from './fields.tsx'

const SUGGESTIONS = 30

/** Shows a field that takes a source, a name of a series, or words that series are found by. */
export function AddField({ session }: { session: ScopeSession }): JSX.Element {
  const list = useId()
  const words = useSignal('')
  const field = useRef<HTMLInputElement>(null)
  const { page } = session
  const add = (): void => {
    const text = words.value.trim()
    if (text === '') return
    const { sources, series } = session.shown
    if (isSource(session, text)) session.change({ sources: withText(sources, text) })
    else session.change({ series: withText(series, text) })
    page.announce(`Added ${text}`)
    words.value = ''
    if (field.current) field.current.value = ''
  }
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <label class="field">
        <span>add</span>
        <input
          ref={field}
          list={list}
          aria-label="Add series: a name, words, or a source"
          placeholder="name or words"
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => {
            words.value = event.currentTarget.value
          }}
        />
      </label>
      <datalist id={list}>
        {suggestions(session, words.value).map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <button type="submit" class="button">
        Add
      </button>
    </form>
  )
}

function suggestions({ page: { store } }: ScopeSession, typed: string): readonly string[] {
  if (typed.trim() === '') {
    return exporters(store.sources.value).flatMap(({ source }) => source ?? [])
  }
  const choice = { q: typed, kind: '', source: '' }
  const found = selectEntries(store.catalogue.entries, choice, () => false)
  return found.slice(0, SUGGESTIONS).map(({ text }) => text)
}

function isSource({ page: { store } }: ScopeSession, text: string): boolean {
  const isDialect = store.sources.peek()?.dialects.some(({ name }) => name === text) ?? false
  return isDialect || store.catalogue.entries.some((entry) => sourceOf(entry) === text)
}

function withText(list: readonly string[], text: string): readonly string[] {
  return list.includes(text) ? list : [...list, text]
}

export function SeriesPanel({ session }: { session: ScopeSession }): JSX.Element {
  const { sources, series, statistics } = session.shown
  const followed = session.following.series.value
  const total = session.following.total.value
  const hasDistributions = followed.some(({ statistic }) => statistic !== undefined)
  return (
    <section aria-label="Series">
      <div class="row">
        <h2 class="grow">Series</h2>
        <span class="muted">{total > LINES_LIMIT ? `${LINES_LIMIT} of ${total}` : total}</span>
      </div>
      {total > LINES_LIMIT && (
        <p class="soft">The others are left out: choose fewer, by name or by words.</p>
      )}
      <ul>
        {sources.map((each) => (
          <SetRow
            key={`source ${each}`}
            words={each}
            removeLabel={`Remove the source ${each}`}
            remove={() => session.change({ sources: sources.filter((one) => one !== each) })}
          />
        ))}
        {series.map((each) => (
          <SetRow
            key={`series ${each}`}
            words={each}
            removeLabel={`Remove the series ${each}`}
            remove={() => session.change({ series: series.filter((one) => one !== each) })}
          />
        ))}
      </ul>
      <AddField session={session} />
      {hasDistributions && (
        <TextField
          caption="show"
          label="Statistics of distributions: p50, p99.9, mean, min, max"
          value={(statistics.length === 0 ? [STANDARD_STATISTIC] : statistics).join(' ')}
          fault={(text) =>
            readStatistics(text) === undefined ? 'Write p50, p99.9, mean, min or max' : undefined
          }
          take={(text) => session.change({ statistics: readStatistics(text) ?? [] })}
        />
      )}
      <PlotOfLine session={session} />
    </section>
  )
}

function readStatistics(text: string) {
  const read = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseStatistic)
  return read.some((each) => each === undefined) ? undefined : read.flatMap((each) => each ?? [])
}

/** Puts a line into another plot: what dragging its key does, by keyboard. */
function PlotOfLine({ session }: { session: ScopeSession }): JSX.Element | null {
  const chosen = useSignal('')
  const list = useId()
  const plots = session.plots.value
  const lines = plots.flatMap((plot) => plot.lines)
  const line = lines.find(({ name }) => name === chosen.value) ?? lines[0]
  if (line === undefined) return null
  const plot = plots.find((each) => each.lines.includes(line))?.name ?? ''
  const byHand = session.shown.plots.find(({ name }) => name === line.name)
  return (
    <div class="stack">
      <Choose
        label="Line to put into a plot"
        value={line.name}
        choices={lines.map(({ name }) => [name, name])}
        choose={(next) => {
          chosen.value = next
        }}
      />
      <TextField
        caption="in plot"
        label="Plot of the line"
        list={list}
        value={plot}
        fault={() => undefined}
        take={(text) => session.assign(line.name, text === '' ? undefined : text)}
      />
      <datalist id={list}>
        {plots.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {byHand !== undefined && (
        <button type="button" class="link" onClick={() => session.assign(line.name, undefined)}>
          Back to its own plot <Name text={line.about.plot ?? line.name} />
        </button>
      )}
    </div>
  )
}
