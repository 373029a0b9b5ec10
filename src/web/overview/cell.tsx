/** A series in the overview: with its chart (136 px), or as one line (28 px). */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { usePage, usePanel } from '../shell/page.ts'
import { setText, useReading } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import { changeColumn } from './reading.ts'
import { SeriesLink } from './series-link.tsx'
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
