/**
 * The side column: statistics of the window and since the start, origin, names, the last cell, and
 * deleting the series.
 */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { StatisticsJson } from '../../http/api.ts'
import { allDigits, exact, text, totalText } from '../format/number.ts'
import type { Shown } from '../format/rate.ts'
import { dialectTitle } from '../format/status.ts'
import { ageText, momentText, spanText } from '../format/time.ts'
import { OVERVIEW } from '../overview/address.ts'
import { usePage, useShownSeconds } from '../shell/page.ts'
import { CopyButton, type Fact, Facts, Name, Section } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import { type Entry, OWN_DIALECT } from '../store/catalogue.ts'
import { deletedWords, KEPT_WORDS, lossWords, refusalWords } from './deletion.ts'
import { bucketError, errorWords, windowNumbers } from './statistics.ts'

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
    ? windowNumbers(data, page.shown(entry.info), to - store.clock.window.value, to)
    : []
  const window = `last ${spanText(store.clock.window.value)}`
  const scale = data?.buckets?.width ? data.buckets.scale : undefined
  const note = scale === undefined ? window : `${window}, ${errorWords(bucketError(scale))}`
  return (
    <Section title="Statistics" note={note} isNoteRight>
      <Facts facts={facts} isWide />
    </Section>
  )
}

/** Lists facts; a summary has no percentiles. */
function statisticsFacts(statistics: StatisticsJson, unit: string): readonly Fact[] {
  const { count, mean, min, median, p75, p95, p98, p99, p999, max, stddev } = statistics
  const rows: readonly (readonly [string, number | string | null | undefined])[] = [
    ['mean', mean],
    ['min', min],
    ['p50', median],
    ['p75', p75],
    ['p95', p95],
    ['p98', p98],
    ['p99', p99],
    ['p99.9', p999],
    ['max', max],
    ['deviation', stddev],
  ]
  const facts: Fact[] = [['count', exact(count)]]
  for (const [name, value] of rows) {
    if (value !== undefined) facts.push([name, value === null ? '–' : text(Number(value), unit)])
  }
  return facts
}

function sinceStart({ info }: Entry, shown: Shown): readonly Fact[] {
  const { kind, current, unit = '', statistics, rates, resets } = info
  if (statistics !== undefined) return statisticsFacts(statistics, unit)
  const facts: Fact[] = []
  if (kind === 'counter' && current !== null) facts.push(['total', totalText(current)])
  if (resets !== undefined) facts.push(['resets', exact(resets)])
  if (rates !== undefined) {
    const write = (rate: number): string => text(rate * shown.factor, shown.unit)
    facts.push(['mean rate', write(rates.mean)], ['1 min', write(rates.m1)])
    facts.push(['5 min', write(rates.m5)], ['15 min', write(rates.m15)])
  }
  return facts
}

/** Shows the one value of the series by which simple viewers know it. */
function Canonical({ entry }: SideProps): JSX.Element {
  const { name, value } = entry.info.canonical
  const { kind, unit = '' } = entry.info
  const number = value ?? Number.NaN
  // the name of a rate says its time, its value only what is counted
  const words = text(number, kind === 'counter' ? '' : unit)
  return (
    <Section title="As one value" note="for simple viewers" isNoteRight>
      <dl class="facts">
        <dt>
          <Name text={name} />
        </dt>
        <dd title={allDigits(number, unit)}>{words}</dd>
      </dl>
    </Section>
  )
}

function Origin({ entry }: SideProps): JSX.Element {
  const { store } = usePage()
  store.clock.tick.value
  const { info } = entry
  const now = store.clock.nowMs()
  const type = info.type === undefined ? '' : `, ${info.type}`
  const age = (now - store.lastDataMs(entry.id)) / 1000
  const isSilent = age >= 60
  const facts: Fact[] = [
    ['source', dialectTitle(store.sources.value, info.dialect) + type],
    ['address', info.source || '–'],
    ['last data', <span class={isSilent ? 'warn' : ''}>{ageText(age)}</span>],
    [
      'first seen',
      `${momentText(info.firstSeenMs, now)}, ${ageText((now - info.firstSeenMs) / 1000)}`,
    ],
    ...info.labels.map(([key, value]): Fact => [key, <code>{value}</code>]),
  ]
  if (info.plot !== undefined) facts.push(['plot', info.plot])
  return (
    <Section title="Comes from">
      <Facts facts={facts} />
    </Section>
  )
}

function Names({ entry }: SideProps): JSX.Element {
  const names = [
    ['Series', entry.text],
    ['API', `/api/v1/series/${entry.id}`],
    ['Live stream', `/api/v1/live?series=${entry.id}&interval=1`],
  ] as const
  // A restarted hub has no address yet for a series that it has not heard of again.
  const known = entry.id < 0 ? names.slice(0, 1) : names
  return (
    <Section title="Named">
      <ul class="names">
        {known.map(([where, name]) => (
          <li key={where}>
            <span class="tiny muted">{where}</span>
            <code class="cut" title={name}>
              {name}
            </code>
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
        <pre>{json}</pre>
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
  return id >= 0 && info.dialect !== OWN_DIALECT
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
  const { statistics } = latest.info
  return (
    <aside aria-label="About this series">
      <WindowStatistics entry={entry} />
      {facts.length > 0 && (
        <Section
          title="Since the start"
          note={statistics?.relativeError && errorWords(statistics.relativeError)}
          isNoteRight
        >
          <Facts facts={facts} isWide />
        </Section>
      )}
      <Canonical entry={latest} />
      <Origin entry={latest} />
      <Names entry={entry} />
      <LastCell entry={entry} />
      {isDeletable(latest) && <Deletion entry={latest} />}
    </aside>
  )
}
