/** Single observations that their sender has marked, as a rule by the trace they belong to. */
import type { JSX } from 'preact'
import type { ExemplarJson, ExemplarsAnswer } from '../../http/api.ts'
import { shownName } from '../../viewer/format/name.ts'
import { text } from '../../viewer/format/number.ts'
import { momentText } from '../../viewer/format/time.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { useAnswer, usePage } from '../shell/page.ts'
import { CopyButton, Section } from '../shell/parts.tsx'

/** Exemplars are read again this often, ms. */
const READ_MS = 5_000

/** Shows the exemplars of a series, the newest first; nothing of one that has none. */
export function ExemplarList({ entry }: { readonly entry: Entry }): JSX.Element | null {
  const { store } = usePage()
  const path = entry.id >= 0 ? `/series/${entry.id}/exemplars` : undefined
  const { answer } = useAnswer<ExemplarsAnswer>(path, { leastMs: READ_MS })
  const exemplars = answer?.exemplars ?? []
  if (exemplars.length === 0) return null
  const nowMs = store.clock.readingSecond() * 1000
  const { unit = '' } = entry.info
  return (
    <Section title="Exemplars" note="newest first" isNoteRight>
      <ul class="names">
        {exemplars.map(({ value, timeMs, labels }) => (
          <li key={`${timeMs} ${value}`}>
            <span class="tiny muted">
              {momentText(timeMs, nowMs)}, {text(value, unit)}
            </span>
            {labels.map(([key, own]) => (
              <code key={key} title={`${key}=${own}`}>
                {shownName(`${key}=${own}`)}
              </code>
            ))}
            {copied(labels)}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Offers to copy what leads to the trace; of an exemplar without one, its first label. */
function copied(labels: ExemplarJson['labels']): JSX.Element | null {
  const pair = labels.find(([key]) => key === 'trace_id') ?? labels[0]
  return pair === undefined ? null : <CopyButton text={pair[1]} what={pair[0]} />
}
