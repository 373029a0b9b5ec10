/**
 * The side column: statistics of the window and since the start, origin, names, the last cell, and
 * deleting the series.
 */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { NamesAnswer, SeriesNameJson } from '../../http/api.ts'
import { unitSymbol } from '../../model/text/unit.ts'
import { shownName } from '../../viewer/format/name.ts'
import { allDigits, ownText } from '../../viewer/format/number.ts'
import { spanText } from '../../viewer/format/time.ts'
import { type OriginFact, originFacts, sinceStart } from '../../viewer/series/facts.ts'
import { bucketWords, oneValue, startWords, windowNumbers } from '../../viewer/series/statistics.ts'
import { type Entry, OWN_DIALECT } from '../../viewer/store/catalogue.ts'
import { OVERVIEW } from '../overview/address.ts'
import { useAnswer, usePage, useShownSeconds } from '../shell/page.ts'
import { CopyButton, type Fact, Facts, Name, Section } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import { deletedWords, KEPT_WORDS, lossWords, refusalWords } from './deletion.ts'
import { ExemplarList } from './exemplars.tsx'

interface SideProps {
  readonly entry: Entry
}

function WindowStatistics({ entry }: SideProps): JSX.Element {
  const page = usePage()
  const { store } = page
  useShownSeconds()
  const data = store.data(entry.id)
  const to = store.clock.readingSecond()
  const facts: readonly Fact[] = data
    ? windowNumbers(
        ...([data, page.shown(entry.info), to - store.clock.window.value, to] as const),
        entry.info.firstSeenMs,
      )
    : []
  const window = `last ${spanText(store.clock.window.value)}`
  const note = data?.buckets?.width ? `${window}, ${bucketWords(data.buckets)}` : window
  return (
    <Section title="Statistics" note={note} isNoteRight>
      <Facts facts={facts} isWide />
    </Section>
  )
}

/** Shows the one value of the series by which simple viewers know it. */
function Canonical({ entry }: SideProps): JSX.Element {
  const { store } = usePage()
  useShownSeconds()
  const { name } = entry.info.canonical
  const { kind, unit = '' } = entry.info
  const number = oneValue(entry.info, store.data(entry.id), store.clock.readingSecond())
  // the name of a rate says its time, its value only what is counted
  const words = ownText(number, kind === 'counter' ? '' : unitSymbol(unit))
  return (
    <Section title="As one value" note="for simple viewers" isNoteRight>
      <dl class="facts named">
        <dt>
          <Name text={name} />
        </dt>
        <dd title={allDigits(number, unit)}>{words}</dd>
      </dl>
    </Section>
  )
}

/** Shows one fact: text of a peer as code, an age that is a warning in its colour. */
function originFact({ name, words, manner }: OriginFact): Fact {
  if (manner === 'label') return [name, <code>{words}</code>]
  return [name, manner === 'warning' ? <span class="warn">{words}</span> : words]
}

function Origin({ entry }: SideProps): JSX.Element {
  const { store } = usePage()
  store.clock.tick.value
  return (
    <Section title="Comes from">
      <Facts facts={originFacts(entry, store).map(originFact)} />
    </Section>
  )
}

/** Names change with the list of series alone; they are read again this often, ms. */
const NAMES_MS = 30_000

/** Shows the names that the hub says, each as the code writes it that exports the series. */
function Names({ entry }: SideProps): JSX.Element {
  // A restarted hub has no address yet for a series that it has not heard of again.
  const isKnown = entry.id >= 0 && entry.info.isPast !== true
  const path = isKnown ? `/series/${entry.id}/names` : undefined
  const { answer } = useAnswer<NamesAnswer>(path, { leastMs: NAMES_MS })
  const own = [
    { where: 'API', text: `/api/v1/series/${entry.id}` },
    { where: 'Live stream', text: `/api/v1/live?series=${entry.id}&interval=1` },
  ]
  const names: readonly SeriesNameJson[] = [
    { where: 'Series', text: entry.text },
    ...(answer?.names ?? []),
    ...(isKnown ? own : []),
  ]
  return (
    <Section title="Named">
      <ul class="names">
        {names.map(({ where, text: name, note }) => (
          <li key={`${where} ${name}`}>
            <span class="tiny muted">
              {where}
              {note !== undefined && `, ${shownName(note)}`}
            </span>
            <code title={name}>{shownName(name)}</code>
            <CopyButton text={name} what={`${where} name`} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function LastCell({ entry }: SideProps): JSX.Element | null {
  const { store } = usePage()
  store.clock.tick.value
  const cell = store.data(entry.id)?.lastCell
  if (cell === undefined) return null
  const json = JSON.stringify(cell, null, 1).replace(/\[[^\]]*\]/g, (list) =>
    list.replace(/\s+/g, ' '),
  )
  return (
    <Section title="Last cell" note={<CopyButton text={json} what="last cell" />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <section class="raw" tabIndex={0} aria-label="Last cell as JSON">
        <pre>
          {json.split('\n').map((line) => (
            <div>{line}</div>
          ))}
        </pre>
      </section>
    </Section>
  )
}

type DeletionStep = 'offered' | 'asked' | 'sent'

/**
 * Tells whether deletion is offered: the hub keeps its own series, and one that a restarted hub
 * does not know yet has no number.
 */
function isDeletable({ id, info }: Entry): boolean {
  return id >= 0 && info.dialect !== OWN_DIALECT && info.isPast !== true
}

/** Shows the way to delete the series: offered, then asked for once more in the same place. */
function Deletion({ entry }: SideProps): JSX.Element {
  const page = usePage()
  const [step, setStep] = useState<DeletionStep>('offered')
  const [refusal, setRefusal] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const isTouched = useRef(false)
  // The button that was pressed is gone: the keyboard goes on with the one in its place.
  useEffect(() => {
    if (isTouched.current) button.current?.focus()
  }, [step])
  const go = (next: DeletionStep, words = ''): void => {
    isTouched.current = true
    setStep(next)
    setRefusal(words)
    if (words !== '') page.announce(words)
  }
  const send = async (): Promise<void> => {
    go('sent')
    try {
      const words = deletedWords(entry.text, await page.store.deleteSeries(entry.id))
      if (words === undefined) return go('offered', KEPT_WORDS)
      page.navigation.go(to(OVERVIEW, { kind: '', q: '' }))
      page.report(words)
    } catch (error) {
      go('offered', refusalWords(error))
    }
  }
  const isSent = step === 'sent'
  return (
    <Section title="Delete">
      <div class="deletion small">
        {step === 'offered' ? (
          <>
            {refusal !== '' && <p>{refusal}</p>}
            <button type="button" class="link" ref={button} onClick={() => go('asked')}>
              Delete series
            </button>
          </>
        ) : (
          <>
            <p>
              {lossWords(entry.info)}, from memory and from all exports. A sender that goes on makes
              a new series, which begins at nothing.
            </p>
            <button
              type="button"
              class="link"
              ref={button}
              disabled={isSent}
              onClick={() => go('offered')}
            >
              Keep it
            </button>
            <button type="button" class="link" disabled={isSent} onClick={() => void send()}>
              Delete it
            </button>
          </>
        )}
      </div>
    </Section>
  )
}

export function Side({ entry }: SideProps): JSX.Element {
  const page = usePage()
  const { store } = page
  store.cache.version.value
  const latest = store.catalogue.get(entry.id) ?? entry
  const facts = sinceStart(latest, page.shown(latest.info))
  const { statistics, isPast } = latest.info
  return (
    <aside aria-label="About this series">
      <WindowStatistics entry={entry} />
      {facts.length > 0 && (
        <Section title="Since the start" note={statistics && startWords(statistics)} isNoteRight>
          <Facts facts={facts} isWide />
        </Section>
      )}
      {!isPast && <ExemplarList entry={latest} />}
      {!isPast && <Canonical entry={latest} />}
      <Origin entry={latest} />
      <Names entry={entry} />
      <LastCell entry={entry} />
      {isDeletable(latest) && <Deletion entry={latest} />}
    </aside>
  )
}
