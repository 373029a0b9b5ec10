/** A series in the overview: with its chart (136 px), or as one line (28 px). */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { SERIES } from '../series/address.ts'
import { Icon } from '../shell/icon.tsx'
import { type Page, usePage, usePanel } from '../shell/page.ts'
import { Link, Name, setText, useReading } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Destination } from '../shell/view.ts'
import type { Entry } from '../store/catalogue.ts'
import { changeColumn } from './reading.ts'
import { useSeriesCanvas } from './use-series.ts'

interface CellProps {
  readonly entry: Entry
}

function CellContent({ entry }: CellProps): JSX.Element {
  const [value, write] = useReading('value')
  const sub = useRef<HTMLSpanElement>(null)
  const canvas = useSeriesCanvas(entry, 'small', (reading) => {
    write(reading)
    setText(sub.current, reading.sub)
    sub.current?.classList.toggle('warn', reading.isWarning)
  })
  return (
    <>
      <div class="head">
        <SeriesLink entry={entry} />
        {value}
        <span class="labels cut" title={entry.labels}>
          {entry.labels}
        </span>
        <span class="sub" ref={sub} />
      </div>
      <canvas ref={canvas} role="img" aria-label={entry.text} />
    </>
  )
}

function LineContent({ entry }: CellProps): JSX.Element {
  const [value, write] = useReading('value')
  const change = useRef<HTMLSpanElement>(null)
  const canvas = useSeriesCanvas(entry, 'spark', (reading, context) => {
    write(reading)
    const { words, isWarning } = changeColumn(context)
    setText(change.current, words)
    change.current?.classList.toggle('warn', isWarning)
  })
  return (
    <>
      <SeriesLink entry={entry} withLabels />
      <canvas ref={canvas} role="img" aria-label={entry.text} />
      {value}
      <span class="change" ref={change} />
    </>
  )
}

interface SeriesCellProps extends CellProps {
  readonly isLine: boolean
  /** Built only near the viewport, dropped when far; the box keeps its fixed height. */
  readonly isLazy: boolean
}

export function SeriesCell({ entry, isLine, isLazy }: SeriesCellProps): JSX.Element {
  const { store } = usePage()
  const [isNear, setNear] = useState(!isLazy)
  const article = usePanel<HTMLElement>({
    enter: () => setNear(true),
    leave: () => {
      if (isLazy) setNear(false)
    },
  })
  const isUnusual = !isLine && store.watch.finding(entry.id).since > 0
  const Content = isLine ? LineContent : CellContent
  return (
    <article ref={article} class={`${isLine ? 'line' : 'cell'}${isUnusual ? ' unusual' : ''}`}>
      {isNear && <Content entry={entry} />}
    </article>
  )
}

/** Where one series is shown; kind and type only where the name alone says too little. */
function seriesRoute({ store }: Page, entry: Entry): Destination {
  const { kind, type = '' } = entry.info
  const isAmbiguous = store.catalogue.isAmbiguous(entry.text)
  return to(SERIES, {
    series: entry.text,
    ...(isAmbiguous ? { kind, type } : { kind: '', type: '' }),
  })
}

/** Position after the last separator of a name. */
function lastPart(name: string): number {
  const end = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1
  return end < name.length ? end : 0
}

interface SeriesLinkProps {
  readonly entry: Entry
  readonly withLabels?: boolean
}

export function SeriesLink({ entry, withLabels }: SeriesLinkProps): JSX.Element {
  const page = usePage()
  const { name, kind } = entry.info
  const split = lastPart(name)
  return (
    <Link to={seriesRoute(page, entry)} class="title" title={entry.text}>
      <Icon name={kind} title={kind} />
      <span class="cut">
        <span class="prefix">{name.slice(0, split)}</span>
        <b>
          <Name text={name.slice(split)} />
        </b>
        {withLabels && entry.labels !== '' && <span class="muted"> {entry.labels}</span>}
      </span>
    </Link>
  )
}
