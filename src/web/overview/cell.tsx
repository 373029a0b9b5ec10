/** A series in the overview: with its chart (136 px), or as one line (28 px). */
import type { JSX, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { SteadyRange } from '../../viewer/chart/scale.ts'
import { join } from '../../viewer/format/number.ts'
import { spanText } from '../../viewer/format/time.ts'
import {
  changeColumn,
  emptyWordsOf,
  type Reading,
  type ReadingContext,
  readSeries,
} from '../../viewer/series/reading.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Store } from '../../viewer/store/store.ts'
import type { Panel, Size } from '../chart/frame.ts'
import { Painter } from '../chart/painter.ts'
import { pictureOf, withClockStep } from '../chart/picture.ts'
import { drawPlot, type PlotSize } from '../chart/plot.ts'
import { chartItems } from '../chart-file/chart-tools.tsx'
import { Menu, type MenuItem } from '../chart-file/menu.tsx'
import { SERIES } from '../series/address.ts'
import { SERIES_CHART_WIDTH, seriesChart } from '../series/series-chart.ts'
import { Icon } from '../shell/icon.tsx'
import { type Page, usePage, usePanel } from '../shell/page.ts'
import { Link, Name, setText, useReading } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Destination } from '../shell/view.ts'

interface CellProps {
  readonly entry: Entry
  /** Labels that tell it from its neighbours. */
  readonly labels: string
}

function CellContent({ entry, labels }: CellProps): JSX.Element {
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
        <SeriesMenu entry={entry} />
        {value}
      </div>
      <div class="head below">
        <span class="labels cut" title={entry.labels}>
          {labels}
        </span>
        <span class="sub" ref={sub} />
      </div>
      <canvas ref={canvas} role="img" aria-label={entry.text} />
    </>
  )
}

function LineContent({ entry, labels }: CellProps): JSX.Element {
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
      <SeriesLink entry={entry} labels={labels} />
      <SeriesMenu entry={entry} />
      <canvas ref={canvas} role="img" aria-label={entry.text} />
      {value}
      <span class="change" ref={change} />
    </>
  )
}

interface SeriesCellProps extends CellProps {
  readonly isUnusual: boolean
  readonly isLine: boolean
  /** Place among the series of its group, from 1 on: neighbours off screen are not there. */
  readonly position: number
  readonly of: number
  readonly style: Readonly<Record<string, string>>
}

export function SeriesCell({
  entry,
  labels,
  isUnusual,
  isLine,
  ...rest
}: SeriesCellProps): JSX.Element {
  const Content = isLine ? LineContent : CellContent
  return (
    <article
      class={`${isLine ? 'line' : 'cell'}${isUnusual && !isLine ? ' unusual' : ''}`}
      style={rest.style}
      data-series={entry.id}
      aria-posinset={rest.position}
      aria-setsize={rest.of}
    >
      <Content entry={entry} labels={labels} />
    </article>
  )
}

/** Tells where one series is shown; kind and type only where the name alone tells too little. */
export function seriesRoute({ store }: Page, entry: Entry): Destination {
  const { kind, type = '' } = entry.info
  const isAmbiguous = store.catalogue.isAmbiguous(entry.text)
  return to(SERIES, {
    series: entry.text,
    before: 0,
    ...(isAmbiguous ? { kind, type } : { kind: '', type: '' }),
  })
}

/** Finds the position after the last separator of a name. */
function lastPart(name: string): number {
  const end = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1
  return end < name.length ? end : 0
}

/** Writes the whole name, and what its sender says of it. */
function titleOf({ text, info }: Entry): string {
  return info.description ? `${text}: ${info.description}` : text
}

interface SeriesLinkProps {
  readonly entry: Entry
  /** Labels behind the name. */
  readonly labels?: string
}

export function SeriesLink({ entry, labels = '' }: SeriesLinkProps): JSX.Element {
  const page = usePage()
  const { name, kind, displayName = name } = entry.info
  const split = displayName === name ? lastPart(name) : 0
  return (
    <Link to={seriesRoute(page, entry)} class="title" title={titleOf(entry)}>
      <Icon name={kind} title={kind} />
      <span class="cut">
        <span class="prefix">{displayName.slice(0, split)}</span>
        <b>
          <Name text={displayName.slice(split)} />
        </b>
        {displayName !== name && (
          <span class="muted">
            {' '}
            <Name text={name} />
          </span>
        )}
        {labels !== '' && <span class="muted telling"> {labels}</span>}
      </span>
    </Link>
  )
}

/** Shows, in place of the kind while the pointer or the focus is there, what a chart can become. */
export function SeriesMenu({ entry }: Pick<CellProps, 'entry'>): JSX.Element {
  const page = usePage()
  const items = (): MenuItem[] => [
    {
      words: 'Open with tables',
      act: () => {
        page.navigation.go(seriesRoute(page, entry))
        page.navigation.span({ tables: true }, 'replace')
      },
    },
    ...chartItems(page, seriesChart(page, entry), () => SERIES_CHART_WIDTH),
  ]
  const label = `${entry.text}: table, picture, numbers`
  return <Menu class="list-more" label={label} items={items} />
}

export function contextOf(page: Page, entry: Entry): ReadingContext {
  const { store, cursor } = page
  return {
    info: store.catalogue.get(entry.id)?.info ?? entry.info,
    second: page.readingSecond(),
    hasCursor: cursor.second.value !== null,
    isStale: store.isStale(entry.id),
    lastDataMs: store.lastDataMs(entry.id),
    nowMs: store.clock.nowMs(),
    awayS: store.clock.awayS(),
    finding: store.watch.finding(entry.id),
    per: page.per,
  }
}

/** Tells whether something of a series has been read, be it that there is nothing. */
export function isRead(store: Store, id: number): boolean {
  return (store.data(id)?.coveredTo ?? 0) > 0
}

/** Subscribes a series while the panel it is given to is on screen. */
export function useSubscription(id: number): Pick<Panel, 'enter' | 'leave' | 'isReady'> {
  const { store } = usePage()
  const hide = useRef<(() => void) | undefined>(undefined)
  // Another series in the same place: what is subscribed follows.
  useEffect(() => {
    if (hide.current === undefined) return
    hide.current()
    hide.current = store.screen.show(id)
  }, [store, id])
  return {
    isReady: () => isRead(store, id),
    enter: () => {
      hide.current ??= store.screen.show(id)
    },
    leave: () => {
      hide.current?.()
      hide.current = undefined
    },
  }
}

/** @returns draws the picture of a series and gives the canvas its accessible name */
export function useSeriesPicture(
  entry: Entry,
  plotSize: PlotSize,
): (canvas: HTMLCanvasElement | null, size: Size, reading: Reading) => void {
  const page = usePage()
  const steady = useRef(new SteadyRange())
  const unit = useRef('')
  const named = useRef('')
  const { store, cursor } = page
  return (canvas, size, reading) => {
    const data = store.data(entry.id)
    if (canvas === null || size.width === 0 || data === undefined) return
    const to = store.clock.edge()
    const view = { from: to - store.clock.window.value, to, cursor: cursor.second.value }
    const shown = page.shown(entry.info)
    if (shown.unit !== unit.current) steady.current = new SteadyRange()
    unit.current = shown.unit
    const options = { ...shown, size: plotSize, steady: steady.current }
    const painter = new Painter(canvas, size, page.theme.palette)
    const picture = { emptyWords: emptyWordsOf(data, view.from), ...pictureOf(data, view, options) }
    const plot = withClockStep(picture, store.sources.value?.clockSteps)
    cursor.setAxis(canvas, drawPlot(painter, plot).time)
    const value = [reading.caption, join(reading.main)].join(' ').trim()
    const name = `${entry.text}, last ${spanText(store.clock.window.value)}, ${value}`
    // The name holds the value; it is read on demand, never announced.
    if (name !== named.current) canvas.setAttribute('aria-label', escapeUnseen(name))
    named.current = name
  }
}

/**
 * Draws a series on a canvas while that is on screen.
 * @param write gets the reading of each draw
 * @returns a ref for the canvas
 */
function useSeriesCanvas(
  entry: Entry,
  plotSize: PlotSize,
  write: (reading: Reading, context: ReadingContext) => void,
): RefObject<HTMLCanvasElement | null> {
  const page = usePage()
  const subscription = useSubscription(entry.id)
  const drawPicture = useSeriesPicture(entry, plotSize)
  const canvas = usePanel<HTMLCanvasElement>({
    ...subscription,
    draw: (size) => {
      const context = contextOf(page, entry)
      const reading = readSeries(page.store.readings(entry.id, context.hasCursor), context)
      write(reading, context)
      drawPicture(canvas.current, size, reading)
    },
  })
  return canvas
}
