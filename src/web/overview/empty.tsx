/** The overview of a hub that has no series: why, and what to send. */
import type { JSX } from 'preact'
import { emptyWords } from '../../viewer/format/status.ts'
import { usePage } from '../shell/page.ts'
import { CopyButton, Link } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import { SOURCES } from '../sources/address.ts'

const SEND = 'Send it one line and the chart appears:'
const ATTACH = 'Attach a viewer, it shows what the hub holds:'

/**
 * Shows, while there are no series, one line to send per dialect, with the address it really
 * listens on; above it that something came which could not be read, where it is so.
 */
export function Empty(): JSX.Element {
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
  const { title, isLoss } = emptyWords(store.sources.value)
  return (
    <section class="empty">
      <h1>{title}</h1>
      {isLoss ? (
        <p class="soft">
          What it was, who sent it and what to do is on{' '}
          <Link to={to(SOURCES)} class="link">
            Sources
          </Link>
          . What can be read appears here by itself, within a second.
        </p>
      ) : (
        <p class="soft">
          The hub is listening. What arrives appears here by itself, within a second.
        </p>
      )}
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
