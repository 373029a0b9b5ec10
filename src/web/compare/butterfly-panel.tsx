/** Two distributions, one up, one down, with what is under the pointer in words. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { digits, exact, NO_BREAK_SPACE } from '../../viewer/format/number.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../chart-file/chart-tools.tsx'
import type { ChartTable, Column } from '../chart-file/table.ts'
import { useDrawing } from '../shell/page.ts'
import { Section } from '../shell/parts.tsx'
import { type Butterfly, binAt, drawButterfly } from './butterfly.ts'

/** Height of the chart, CSS pixels; its class has the same. */
const HEIGHT = 360

interface ButterflyPanelProps extends Omit<Butterfly, 'marked'> {
  readonly title: string
  /** Name of what is compared, for pictures and files. */
  readonly of: string
  readonly note: () => string
  /** Ranges of the bins in words. */
  readonly ranges: readonly string[]
}

function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Makes a row for each bin that either has something in. */
function tableOf({ counts, names, ranges }: ButterflyPanelProps): ChartTable {
  const totals = counts.map(totalOf)
  const rows = ranges.flatMap((range, i) => {
    const pair = [counts[0][i] ?? 0, counts[1][i] ?? 0]
    if (pair[0] === 0 && pair[1] === 0) return []
    const cells = pair.flatMap((count, side) => [count, (count / totals[side]!) * 100])
    return [[range, ...cells]]
  })
  const columns: readonly Column[] = [
    { name: 'bin', form: 'words' },
    ...names.flatMap((name): Column[] => [
      { name, form: 'count' },
      { name: `${name} share`, form: 'percent' },
    ]),
  ]
  return { columns, length: rows.length, row: (i) => rows[i]! }
}

/** Writes `above 524 288 to 1 048 576 ns: worker2 1.80 % (4 120), worker3 0.10 % (12)`. */
function markedWords({ counts, names, ranges }: ButterflyPanelProps, bin: number): string {
  const parts = names.map((name, side) => {
    const count = counts[side]![bin] ?? 0
    const percent = `${digits((count / totalOf(counts[side]!)) * 100)}${NO_BREAK_SPACE}%`
    return `${name} ${percent} (${exact(count)})`
  })
  return `${ranges[bin]}: ${parts.join(', ')}`
}

export function ButterflyPanel(props: ButterflyPanelProps): JSX.Element {
  const { title, of, note, names, counts, bounds } = props
  const [marked, setMarked] = useState<number | null>(null)
  const butterfly: Butterfly = { counts, bounds, names, marked }
  const canvas = useDrawing((painter) => drawButterfly(painter, butterfly))
  const chart: ChartFile = {
    title: `${title} of ${of}, ${names[0]} above, ${names[1]} below`,
    note,
    height: HEIGHT,
    draw: (painter) => drawButterfly(painter, { ...butterfly, marked: null }),
    table: () => tableOf(props),
  }
  const plain = `${names[0]} above, ${names[1]} below; square-root axis`
  return (
    <Section
      title={title}
      note={marked === null ? plain : <span class="at-pointer">{markedWords(props, marked)}</span>}
      tools={<ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h360"
        role="img"
        aria-label={`${chart.title}; T: as a table`}
        onPointerMove={({ offsetX, currentTarget }) => {
          setMarked(binAt(butterfly, offsetX, currentTarget.clientWidth))
        }}
        onPointerLeave={() => setMarked(null)}
      />
      <ToolsTable chart={chart} />
    </Section>
  )
}
