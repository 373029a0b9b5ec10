/**
 * Chunks of histograms: places, then [groups - 1:12] layouts, a column of each cell's group where
 * there are several, then the groups (group.ts).
 */
import type { Histogram } from '../../../model/index.ts'
import type { HistogramBlock } from '../block.ts'
import type { Decoder, Encoder } from '../coder/coder.ts'
import { faultOf } from '../fault.ts'
import { decodePlaces, encodePlaces } from '../places.ts'
import { BUCKETS_TOTAL_MAX, decodeGroup, encodeGroup } from './group.ts'
import { decodeLayout, encodeLayout, isSameLayout, type Layout } from './layout.ts'

export function encodeHistograms(encoder: Encoder, block: HistogramBlock): void {
  const { places, cells } = block
  checkSize(cells)
  encodePlaces(encoder, places, false)
  const layouts: Layout[] = []
  const groups: Histogram[][] = []
  const groupOf = new Float64Array(cells.length)
  let group = -1
  for (const [i, cell] of cells.entries()) {
    if (group < 0 || !isSameLayout(layouts[group]!, cell)) {
      group = layouts.findIndex((layout) => isSameLayout(layout, cell))
      if (group < 0) {
        group = layouts.push(cell) - 1
        groups.push([])
      }
    }
    groups[group]!.push(cell)
    groupOf[i] = group
  }
  encoder.bits(layouts.length - 1, 12)
  if (layouts.length > 1) encoder.whole(groupOf, cells.length)
  for (const [i, layout] of layouts.entries()) {
    encodeLayout(encoder, layout)
    encodeGroup(encoder, layout, groups[i]!)
  }
}

/** @throws {RangeError} for cells whose buckets no reader would take */
function checkSize(cells: readonly Histogram[]): void {
  let buckets = 0
  for (const { positive, negative } of cells) {
    buckets += positive.counts.length + negative.counts.length + 2
  }
  if (buckets > BUCKETS_TOTAL_MAX) {
    throw new RangeError(`block of ${buckets} buckets, limit ${BUCKETS_TOTAL_MAX}`)
  }
}

export function decodeHistograms(decoder: Decoder): HistogramBlock {
  const { places, isFilled } = decodePlaces(decoder)
  if (isFilled) throw faultOf('chunk_places', decoder.offset, 'histograms with zeros for gaps')
  const groups = decoder.bits(12) + 1
  const groupOf = new Float64Array(places.length)
  if (groups > places.length) {
    throw faultOf('chunk_layout', decoder.offset, `${groups} layouts of ${places.length} cells`)
  }
  if (groups > 1) decoder.whole(groupOf, places.length)
  const rows = Array.from({ length: groups }, (): number[] => [])
  for (const [i, group] of groupOf.entries()) {
    const list = rows[group]
    if (list === undefined) throw faultOf('chunk_layout', decoder.offset, `layout ${group}`)
    list.push(i)
  }
  const cells = new Array<Histogram>(places.length)
  const allowance = { left: BUCKETS_TOTAL_MAX }
  for (const list of rows) {
    const layout = decodeLayout(decoder)
    const decoded = decodeGroup(decoder, layout, list.length, allowance)
    for (const [k, row] of list.entries()) cells[row] = decoded[k]!
  }
  return { kind: 'histogram', places, cells }
}
