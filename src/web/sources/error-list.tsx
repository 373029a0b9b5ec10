/** What could not be read, by code, with the last offender in hex and text. */
import type { JSX } from 'preact'
import type { ErrorStatus, OffenderStatus, SourcesAnswer } from '../../http/api.ts'
import { exact } from '../../viewer/format/number.ts'
import { dialectTitle, listenerAddress, listenerTitle } from '../../viewer/format/status.ts'
import { ageText, clockText } from '../../viewer/format/time.ts'
import { usePage } from '../shell/page.ts'
import { Scroll, Section } from '../shell/parts.tsx'
import { type HexByte, hexRows } from './hex.ts'

function Marked({ byte, isHex, at }: { byte: HexByte; isHex: boolean; at: number }): JSX.Element {
  const words = isHex ? byte.hex : byte.text
  const gap = isHex ? (at === 7 ? '  ' : ' ') : ''
  return (
    <>
      {byte.isMarked ? <mark>{words}</mark> : words}
      {gap}
    </>
  )
}

function HexDump({ offender }: { offender: OffenderStatus }): JSX.Element {
  const rows = hexRows(offender.hex, offender.hexOffset)
  const spoken = rows.map(({ bytes }) => bytes.map(({ text }) => text).join('')).join('')
  return (
    <Scroll label={`Bytes: ${spoken}`}>
      <div class="hex">
        {rows.map(({ at, bytes }) => [
          <i key={at}>{at}</i>,
          <span key={`${at} hex`}>
            {bytes.map((byte, i) => (
              <Marked key={i} byte={byte} isHex at={i} />
            ))}
          </span>,
          <span key={`${at} text`}>
            {bytes.map((byte, i) => (
              <Marked key={i} byte={byte} isHex={false} at={i} />
            ))}
          </span>,
        ])}
      </div>
    </Scroll>
  )
}

/** Begins a sentence with `“12,5” is not a number`, whatever case it was reported in. */
function sentence(detail: string): string {
  const words = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(words) ? words : `${words}.`
}

/** Says of bytes that no dialect claims where they came, and shows what is taken there. */
function Unclaimed({
  name,
  sources,
}: {
  name: string
  sources: SourcesAnswer
}): JSX.Element | null {
  const listener = sources.listeners.find((each) => each.name === name)
  if (listener === undefined) return null
  const taken = sources.dialects.filter((each) => listener.dialects.includes(each.name))
  return (
    <>
      <p class="small soft">
        None of it is in the numbers; what else comes to {listenerAddress(listener)} is taken. That
        port takes {listenerTitle(sources, name)}, for example:
      </p>
      {taken.map(({ name: dialect, tryIt }) => (
        <pre key={dialect}>{tryIt}</pre>
      ))}
    </>
  )
}

/** Says what was wrong, and what it looks like instead. */
function wordsOf({ detail, guess }: OffenderStatus): string {
  if (guess === undefined) return sentence(detail)
  // a dialect's own guess says less
  const known = detail.replace(/; this looks like .*$/, '')
  return `${sentence(known)} This ${guess}.`
}

function Earlier({ offenders }: { offenders: readonly OffenderStatus[] }): JSX.Element | null {
  if (offenders.length === 0) return null
  return (
    <details>
      <summary class="small soft">{exact(offenders.length)} before it</summary>
      {offenders.map((offender) => (
        <div key={`${offender.timeMs} ${offender.peer} ${offender.hex}`}>
          <p class="small soft">
            {clockText(offender.timeMs)} from {offender.peer}, byte {offender.offset}:{' '}
            {wordsOf(offender)}
          </p>
          <HexDump offender={offender} />
        </div>
      ))}
    </details>
  )
}

function Message({
  status,
  sources,
}: {
  status: ErrorStatus
  sources: SourcesAnswer
}): JSX.Element {
  const { store } = usePage()
  const isUnclaimed = status.code === 'unclaimed'
  const title = isUnclaimed ? 'No dialect' : dialectTitle(sources, status.dialect)
  const newestFirst = [...status.last].sort((a, b) => b.timeMs - a.timeMs)
  const [last, ...earlier] = newestFirst
  return (
    <article class="message">
      <div class="row">
        <span class="strong">{title}</span>
        <code>{status.code}</code>
        <span class="error strong">{exact(status.count)}×</span>
        <span class="grow" />
        {last && (
          <span class="small muted">
            last {ageText((store.clock.nowMs() - last.timeMs) / 1000)} from {last.peer}
          </span>
        )}
      </div>
      {last && (
        <>
          <p class="small soft">
            {isUnclaimed ? 'First bytes: ' : `At byte ${exact(last.offset)}: `}
            {wordsOf(last)}
          </p>
          <HexDump offender={last} />
        </>
      )}
      {isUnclaimed && <Unclaimed name={status.dialect} sources={sources} />}
      <Earlier offenders={earlier} />
    </article>
  )
}

export function ErrorList({ sources }: { sources: SourcesAnswer }): JSX.Element {
  const worst = [...sources.errors].sort((a, b) => b.count - a.count)
  return (
    <Section title="Could not be read" note="since the start, by code">
      {worst.length === 0 && <p class="small soft">Nothing so far.</p>}
      {worst.map((status) => (
        <Message key={`${status.dialect} ${status.code}`} status={status} sources={sources} />
      ))}
    </Section>
  )
}
