/**
 * Which columns stand where, for a terminal's width: the names to the left, values of a fixed width
 * to their right, and a spark at the right edge where the names leave room for it. Labels of a
 * counter's series are columns in the room of the names: keys above, values below.
 */
import type { ScreenBuffer, Style } from '../../../../terminal/index.ts'
import type { MetaData } from '../../window.ts'
import type { ValueView } from './figures.ts'
import type { LabelColumn } from './listing.ts'

export type Column = ValueView | 'delta'

interface PlacedColumn {
  readonly column: Column
  /** The column after its last character. */
  readonly end: number
}

export interface Layout {
  readonly nameWidth: number
  readonly values: readonly PlacedColumn[]
  /** Place of the spark; undefined where there is no room. */
  readonly spark: { readonly start: number; readonly width: number } | undefined
}

/** Width as in dotnet-counters: room for `-12,675,430.9` with its three places. */
export const VALUE_WIDTH = 15
const GAP = 1
/** Names keep at least so much: value columns that leave less are left out, the last ones first. */
const NAME_WIDTH_LEAST = 28
const SPARK_GAP = 2
const SPARK_LEAST = 8
/** Widest spark, as a part of the width and in columns. */
const SPARK_PART = 3 / 8
const SPARK_MOST = 120

/** @param nameWidest columns that the widest name takes with its indent */
export function layoutOf(width: number, columns: readonly Column[], nameWidest: number): Layout {
  const room = Math.floor((width - NAME_WIDTH_LEAST) / (VALUE_WIDTH + GAP))
  const fitting = columns.slice(0, Math.max(1, room))
  const valuesWidth = fitting.length * (VALUE_WIDTH + GAP)
  const left = width - valuesWidth - Math.max(nameWidest, NAME_WIDTH_LEAST) - SPARK_GAP
  const sparkMost = Math.min(SPARK_MOST, Math.floor(width * SPARK_PART))
  const sparkWidth = left < SPARK_LEAST ? 0 : Math.min(left, sparkMost)
  const end = sparkWidth === 0 ? width : width - sparkWidth - SPARK_GAP
  const nameWidth = Math.max(0, end - valuesWidth)
  return {
    nameWidth,
    values: fitting.map((column, i) => ({
      column,
      end: nameWidth + (i + 1) * (VALUE_WIDTH + GAP),
    })),
    spark: sparkWidth === 0 ? undefined : { start: width - sparkWidth, width: sparkWidth },
  }
}

/** Indent of a label: under the counter's name, one step deeper. */
const LABEL_INDENT = 8
/** A column is not made narrower than this: the last ones are left out instead. */
const LABEL_WIDTH_LEAST = 5

export function labelsWidth(columns: readonly LabelColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP, LABEL_INDENT)
}

export function drawLabelKeys(
  buffer: ScreenBuffer,
  row: number,
  columns: readonly LabelColumn[],
  nameWidth: number,
): void {
  drawTexts(buffer, row, columns, (key) => key, nameWidth, 'faint')
}

export function drawLabelValues(
  buffer: ScreenBuffer,
  row: number,
  columns: readonly LabelColumn[],
  metaData: MetaData,
  nameWidth: number,
): void {
  const values = new Map(metaData)
  drawTexts(buffer, row, columns, (key) => values.get(key) ?? '', nameWidth, 'plain')
}

function drawTexts(
  buffer: ScreenBuffer,
  row: number,
  columns: readonly LabelColumn[],
  textOf: (key: string) => string,
  nameWidth: number,
  style: Style,
): void {
  const widths = fitted(columns, nameWidth - LABEL_INDENT)
  let at = LABEL_INDENT
  columns.forEach(({ key }, i) => {
    const width = Math.min(widths[i]!, nameWidth - GAP - at)
    if (width > 0) buffer.write(row, at, textOf(key), style, width)
    at += widths[i]! + GAP
  })
}

/** Fits columns into their room; the widest gives way first. */
function fitted(columns: readonly LabelColumn[], room: number): number[] {
  const widths = columns.map(({ width }) => width)
  const sum = (most: number): number =>
    widths.reduce((total, width) => total + Math.min(width, most) + GAP, 0)
  let most = Math.max(LABEL_WIDTH_LEAST, ...widths)
  while (most > LABEL_WIDTH_LEAST && sum(most) > room) most--
  return widths.map((width) => Math.min(width, most))
}
