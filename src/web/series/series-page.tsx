/** One series: its picture over time, its distribution now, its numbers, where it comes from. */

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { unitSymbol } from '../../model/text/unit.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { exact } from '../../viewer/format/number.ts'
import { ageText, clockText, lifeText } from '../../viewer/format/time.ts'
import { changeWords, SILENT_MS } from '../../viewer/series/reading.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { TablesSwitch } from '../chart-file/chart-tools.tsx'
import { CompareWith, TwoWindows } from '../compare/compare-with.tsx'
import { OVERVIEW } from '../overview/address.ts'
import { seriesRoute } from '../overview/cell.tsx'
import { Icon } from '../shell/icon.tsx'
import { usePage, usePastSeries } from '../shell/page.ts'
import { Link, Name, NoList } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Route } from '../shell/view.ts'
import type { SeriesState } from './address.ts'
import { DistributionPanels } from './panels/distribution-panels.tsx'
import { SummaryPanels } from './panels/summary-panels.tsx'
import { ValuePanels } from './panels/value-panels.tsx'
import { Side } from './side.tsx'

/** Longer labels have lines of their own, a few. */
const LINE_LABELS = 160
/** Letters of a name that have room in the lines of a title on a telephone. */
const TITLE_LETTERS = 80
/** Series that are offered in place of one that is not there. */
const OFFERED = 8

/** Shows the name of a series: some lines of a long one, all of it when it is asked for. */
function Title({ name, children }: { name: string; children?: ComponentChildren }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      <h1 class={isWhole ? '' : 'some-lines'} title={escapeUnseen(name)}>
        <Name text={name} />
        {children}
      </h1>
      {name.length > TITLE_LETTERS && (
        <button
          type="button"
          class="link small"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Less of the name' : `Whole name, ${exact(name.length)} letters`}
        </button>
      )}
    </>
  )
}

/** Offers the series of the same name with other labels. */
function Namesakes({ series }: { series: string }): JSX.Element | null {
  const page = usePage()
  const found = page.store.catalogue.namesakes(series)
  if (found.length === 0) return null
  return (
    <>
      <p class="soft">With other labels there {found.length === 1 ? 'is one:' : 'are:'}</p>
      <ul class="namesakes">
        {found.slice(0, OFFERED).map((entry) => (
          <li key={entry.identity} class="cut">
            <Link to={seriesRoute(page, entry)} class="link" title={entry.text}>
              <Name text={entry.text} />
            </Link>
          </li>
        ))}
        {found.length > OFFERED && <li>{exact(found.length - OFFERED)} more</li>}
      </ul>
    </>
  )
}

function Heading({ entry }: { entry: Entry }): JSX.Element {
  const page = usePage()
  const { store } = page
  store.watch.version.value
  const { info, labels } = entry
  const finding = store.watch.finding(entry.id)
  const of = info.kind === 'histogram' ? 'p99 ' : info.kind === 'summary' ? 'mean ' : ''
  const words = changeWords(finding, page.shown(info).factor)
  const silentMs = store.clock.nowMs() - store.lastDataMs(entry.id)
  return (
    <div class="head-line">
      <Title name={info.displayName ?? info.name}>
        {' '}
        {info.displayName !== undefined && info.displayName !== info.name && (
          <code class="small muted">
            <Name text={info.name} />
          </code>
        )}
      </Title>
      <p class="small soft">
        {[info.kind, unitSymbol(info.unit ?? '') || 'no unit'].join(', ')}
        {labels !== '' && labels.length <= LINE_LABELS && `, ${labels}`}
        {info.isPast && <span class="strong">{`\u2003no more: ${lifeText(info)}`}</span>}
        {silentMs >= SILENT_MS && !info.isPast && (
          <span class="warn strong">{`\u2003last data ${ageText(silentMs / 1000)}`}</span>
        )}
        {silentMs < SILENT_MS && finding.since > 0 && (
          <span class="warn strong">
            {'\u2003'}
            {of}
            {usualWords(words)} since {clockText(finding.since * 1000)}
          </span>
        )}
      </p>
      {labels.length > LINE_LABELS && (
        <p class="small soft own-labels" title={labels}>
          <Name text={labels} />
        </p>
      )}
      <p class="small">
        {page.views.map(({ dialect, seriesLink }) => {
          const link = seriesLink?.(entry)
          return (
            link && (
              <Link key={dialect} to={link.to} class="link">
                {link.words}
              </Link>
            )
          )
        })}
      </p>
      {info.description && <p class="small soft">{info.description}</p>}
    </div>
  )
}

/** Says how far a value is from its usual one: `4.1× its usual`, `62 % below its usual`. */
function usualWords(change: string): string {
  if (change.endsWith('×')) return `${change} its usual`
  if (change.startsWith('from')) return change
  return `${change.slice(1)} ${change.startsWith('+') ? 'above' : 'below'} its usual`
}

function Panels({ entry }: { entry: Entry }): JSX.Element {
  if (entry.info.kind === 'histogram') return <DistributionPanels entry={entry} />
  if (entry.info.kind === 'summary') return <SummaryPanels entry={entry} />
  return <ValuePanels entry={entry} />
}

export function SeriesPage({ route }: { route: Route<SeriesState> }): JSX.Element {
  const { store } = usePage()
  const { series, kind, type, before } = route.state
  store.catalogue.version.value
  usePastSeries(series)
  const entry = store.catalogue.find(series, kind, type)
  const id = entry?.id
  // The list has no statistics: they are the one entry's own.
  useEffect(() => (id === undefined ? undefined : store.follow(id)), [store, id])
  if (entry === undefined) {
    return (
      <div class="page">
        <Title name={series} />
        <NoList />
        {store.catalogue.isLoaded && (
          <>
            <p class="soft">
              No series has this name now.{' '}
              <Link to={to(OVERVIEW, { kind: '' })} class="link">
                Show all series
              </Link>
            </p>
            <Namesakes series={series} />
          </>
        )}
      </div>
    )
  }
  return (
    <div class="page">
      <nav class="crumbs" aria-label="Where">
        <Link to={to(OVERVIEW, { kind: '', q: '' })} class="link">
          Overview
        </Link>
        <Icon name="right" />
        <Link
          to={to(OVERVIEW, { kind: '', q: entry.group })}
          class="link cut"
          title={escapeUnseen(entry.group)}
        >
          <Name text={entry.group} />
        </Link>
      </nav>
      <div class="titled">
        <Heading entry={entry} />
        <CompareWith before={before} />
      </div>
      <div class="split" key={entry.identity}>
        <div>
          {before > 0 ? <TwoWindows {...{ entry, before }} /> : <Panels entry={entry} />}
          <TablesSwitch />
        </div>
        <Side entry={entry} />
      </div>
    </div>
  )
}
