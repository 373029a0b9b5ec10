/** The chart of a series as a file: what an overview shows small, large enough to be read. */
import { SteadyRange } from '../../viewer/chart/scale.ts'
import { dialectTitle } from '../../viewer/format/status.ts'
import { emptyWordsOf } from '../../viewer/series/reading.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { pictureOf } from '../chart/picture.ts'
import { drawPlot } from '../chart/plot.ts'
import type { ChartFile } from '../chart-file/chart-tools.tsx'
import { periodText } from '../chart-file/period.ts'
import type { Page } from '../shell/page.ts'
import { seriesTable } from './tables.ts'

/** Size of the picture, CSS pixels. */
const HEIGHT = 240
export const SERIES_CHART_WIDTH = 880

/** Writes when, in which unit and from whom, for under the title of a picture. */
export function noteOf({ store }: Page, { info }: Entry, from: number, to: number): string {
  const source = `from ${dialectTitle(store.sources.peek(), info.dialect)}`
  return [periodText(from, to), info.unit ?? '', source].filter(Boolean).join(', ')
}

export function seriesChart(page: Page, entry: Entry): ChartFile {
  const { store } = page
  const span = (): { from: number; to: number } => {
    const to = store.clock.edge()
    return { from: to - store.clock.window.peek(), to }
  }
  return {
    title: entry.text,
    note: () => noteOf(page, entry, span().from, span().to),
    height: HEIGHT,
    draw: (painter) => {
      const data = store.data(entry.id)
      if (data === undefined) return
      const view = { ...span(), cursor: null }
      const options = {
        ...page.shown(entry.info),
        size: 'large',
        steady: new SteadyRange(),
      } as const
      const emptyWords = emptyWordsOf(data, view.from)
      drawPlot(painter, { emptyWords, ...pictureOf(data, view, options) })
    },
    table: () => {
      const data = store.data(entry.id)
      return data && seriesTable(data, span(), page.shown(entry.info))
    },
  }
}
