/** What every chart can become: a table below it, a file of its numbers, a picture. */
import type { JSX } from 'preact'
import type { Painter } from '../chart/painter.ts'
import { type Page, usePage } from '../shell/page.ts'
import { TableOf } from './chart-table.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { pngOf } from './png.ts'
import { fileName, save, saveText } from './save.ts'
import { type ChartTable, csvOf } from './table.ts'

export interface ChartFile {
  /** Name of the chart and of what it shows: title of the picture, begin of the files' names. */
  readonly title: string
  /** Words under the title: when, in which unit. */
  readonly note: () => string
  /** Height of the picture, CSS pixels. */
  readonly height: number
  /** Draws what is shown now, without the cursor. */
  readonly draw: (painter: Painter) => void
  readonly table: () => ChartTable | undefined
  /** More than the table beside the chart has room for. */
  readonly all?: () => ChartTable | undefined
}

async function savePicture(page: Page, chart: ChartFile, width: number): Promise<void> {
  const name = fileName(chart.title, 'png')
  const picture = { ...chart, note: chart.note() }
  save(name, await pngOf(picture, width, page.theme.palette))
  page.announce(`Saved ${name}`)
}

function saveNumbers(page: Page, chart: ChartFile): void {
  const table = (chart.all ?? chart.table)()
  if (table === undefined) {
    page.announce('Nothing has been read yet')
    return
  }
  const name = fileName(chart.title, 'csv')
  saveText(name, csvOf(table))
  page.announce(`Saved ${name}`)
}

/** Lists what a chart can become. @param width in which its picture is drawn, CSS pixels */
export function chartItems(page: Page, chart: ChartFile, width: () => number): MenuItem[] {
  return [
    { words: 'Save as picture (PNG)', act: () => void savePicture(page, chart, width()) },
    { words: 'Save numbers (CSV)', act: () => saveNumbers(page, chart) },
  ]
}

interface ChartToolsProps {
  readonly chart: ChartFile
  /** Gives the width in which the chart is shown, CSS pixels. */
  readonly width: () => number
}

export function ChartTools({ chart, width }: ChartToolsProps): JSX.Element {
  const page = usePage()
  const { tables } = page.navigation.route.value
  const words = tables ? 'Charts without tables' : 'Charts with tables'
  const items = (): MenuItem[] => [
    { words, keys: 'T', act: () => page.navigation.span({ tables: !tables }) },
    ...chartItems(page, chart, width),
  ]
  return <Menu label={`${chart.title}: table, picture, numbers`} items={items} />
}

/** Shows the table of a chart while tables are asked for. */
export function ToolsTable({ chart }: { chart: ChartFile }): JSX.Element | null {
  const { tables } = usePage().navigation.route.value
  return tables ? <TableOf title={chart.title} table={chart.table} /> : null
}

/** Shows or hides the tables of all charts, by a click. */
export function TablesSwitch(): JSX.Element {
  const { navigation } = usePage()
  const { tables } = navigation.route.value
  return (
    <p class="panel small">
      <button
        type="button"
        class="link"
        aria-pressed={tables}
        onClick={() => navigation.span({ tables: !tables })}
      >
        Charts as tables
      </button>
    </p>
  )
}
