/** Nothing has arrived yet: one line to send per dialect, with the address it really listens on. */
import type { JSX } from 'preact'
import { usePage, useTopics } from '../shell/page.ts'
import { CopyButton } from '../shell/parts.tsx'

const SEND = 'Send it one line and the chart appears:'
/** Its one line says who it is: a window of latencies is too long for one. */
const JOIN = 'Join as a worker, and its application appears under Wallaroo:'
const ATTACH = 'Attach a viewer, it shows what the hub holds:'

export function Empty(): JSX.Element {
  const { store } = usePage()
  useTopics('sources')
  const steps = (store.sources?.dialects ?? [])
    .filter(({ tryIt }) => tryIt !== '')
    .map(({ name, title, role, tryIt, address }) => ({
      title,
      purpose: name === 'wallaroo' ? JOIN : role === 'emit' ? ATTACH : SEND,
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
