/** A canvas that shows a series: subscribes while on screen, draws, and reads the values. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Panel, Size } from '../chart/frame.ts'
import { Painter } from '../chart/painter.ts'
import { pictureOf } from '../chart/picture.ts'
import { drawPlot, type PlotSize } from '../chart/plot.ts'
import { SteadyRange } from '../chart/scale.ts'
import { join } from '../format/number.ts'
import { spanText } from '../format/time.ts'
import { type Page, usePage, usePanel } from '../shell/page.ts'
import type { Entry } from '../store/catalogue.ts'
import { type Reading, type ReadingContext, readSeries } from './reading.ts'

export function contextOf(page: Page, entry: Entry): ReadingContext {
  const { store, cursor } = page
  return {
    info: store.catalogue.get(entry.id)?.info ?? entry.info,
    second: page.readingSecond(),
    hasCursor: cursor.second.value !== null,
    isStale: store.isStale(entry.id),
    lastDataMs: store.lastDataMs(entry.id),
    nowMs: store.clock.nowMs(),
    finding: store.watch.finding(entry.id),
  }
}

/** Subscribes a series while the panel it is given to is on screen. */
export function useSubscription(id: number): Pick<Panel, 'enter' | 'leave'> {
  const { store } = usePage()
  const hide = useRef<(() => void) | undefined>(undefined)
  // Another series in the same place: what is subscribed follows.
  useEffect(() => {
    if (hide.current === undefined) return
    hide.current()
    hide.current = store.screen.show(id)
  }, [store, id])
  return {
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
  const named = useRef('')
  const { store, cursor } = page
  return (canvas, size, reading) => {
    const data = store.data(entry.id)
    if (canvas === null || size.width === 0 || data === undefined) return
    const to = store.clock.edge()
    const view = { from: to - store.clock.window.value, to, cursor: cursor.second.value }
    const options = { unit: entry.info.unit ?? '', size: plotSize, steady: steady.current }
    const painter = new Painter(canvas, size, page.theme.palette)
    cursor.setAxis(canvas, drawPlot(painter, pictureOf(data, view, options)).time)
    const value = [reading.caption, join(reading.main)].join(' ').trim()
    const name = `${entry.text}, last ${spanText(store.clock.window.value)}, ${value}`
    // The name holds the value; it is read on demand, never announced.
    if (name !== named.current) canvas.setAttribute('aria-label', name)
    named.current = name
  }
}

/**
 * @param write gets the reading of each draw
 * @returns a ref for the canvas
 */
export function useSeriesCanvas(
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
      const reading = readSeries(page.store.data(entry.id), context)
      write(reading, context)
      drawPicture(canvas.current, size, reading)
    },
  })
  return canvas
}
