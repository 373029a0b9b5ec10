/**
 * Work that makes bundles of what was appended, in steps: sealing of the open windows, and the
 * making of long windows out of short ones. A step lasts as long as the bundle of 128 series takes.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Cell, Exact, Kind } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import type { Block } from '../../codec/index.ts'
import { quickCodec } from '../../quick/quick-coder.ts'
import { inTransaction, setState } from '../database.ts'
import type { OpenSeries } from '../head/open-series.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import type { RefSlots } from '../head/ref-slots.ts'
import type { Runs } from '../runs.ts'
import type { Slots } from '../slots.ts'
import { mergeBlocks, moved, rolled } from './blocks.ts'
import { CellSum, entriesOf } from './entries.ts'
import {
  type BundleTable,
  blockNumber,
  frameOf,
  HOUR,
  isDistribution,
  type Level,
  MINUTE,
  MINUTE1,
  SECOND,
  SECOND5,
  type SlotBlocks,
} from './levels.ts'
import type { ChunkPart } from './parts.ts'

export interface Tables {
  readonly db: DatabaseSync
  /** Slots that are written; none of them may go. */
  readonly refs: Pick<RefSlots, 'get' | 'holder'>
  readonly slots: Slots
  readonly runs: Runs
  readonly second5: BundleTable
  readonly second: BundleTable
  readonly minute1: BundleTable
  readonly minute: BundleTable
  readonly hour: BundleTable
}

interface Write {
  readonly table: BundleTable
  readonly row: { readonly id: number; readonly bytes: Uint8Array }
}

/** Series of one bundle in one open window, by slot. */
interface OpenPart {
  readonly window: number
  readonly series: Map<number, OpenSeries>
}

/** Series between two pauses while a bundle is made ready. */
const SERIES_PER_STEP = 16

/**
 * Writes open windows as bundles, in one transaction at the end, which also says that all head logs
 * before `nextHead` are done with.
 */
export function* sealing(tables: Tables, open: OpenWindows, nextHead: number): Task {
  const ends = new Map<number, SlotEnd>()
  const writes: Write[] = []
  for (const [block, parts] of partsOf(open)) {
    yield* sealBlock(tables, block, parts, open, { ends, writes })
  }
  inTransaction(tables.db, () => {
    for (const { table, row } of writes) table.write(row)
    writeSpans(tables, ends, open)
    tables.runs.save(tables.db)
    setState(tables.db, 'head', nextHead)
  })
}

/** Sorts open series by the bundles that they will be in. */
function partsOf({ windows }: OpenWindows): Map<number, OpenPart[]> {
  const blocks = new Map<number, OpenPart[]>()
  for (const [window, all] of windows) {
    for (const [slot, each] of all) {
      const block = blockNumber(slot)
      let parts = blocks.get(block)
      if (parts === undefined) {
        parts = []
        blocks.set(block, parts)
      }
      if (parts.at(-1)?.window !== window) parts.push({ window, series: new Map() })
      parts.at(-1)!.series.set(slot, each)
    }
  }
  return blocks
}

interface Sealed {
  readonly ends: Map<number, SlotEnd>
  readonly writes: Write[]
}

function* sealBlock(
  { second5, minute1 }: Tables,
  block: number,
  parts: readonly OpenPart[],
  { resets }: OpenWindows,
  { ends, writes }: Sealed,
): Task {
  const minutes = new Map<number, Map<number, Block>>()
  let kind: Kind = 'counter'
  for (const { window, series } of parts) {
    const hour = Math.floor((window * SECOND5.windowS) / MINUTE1.windowS)
    const [from, to] = [frameOf(SECOND5, window), frameOf(MINUTE1, hour)]
    const blocks = new Map<number, Block>()
    let count = 0
    for (const [slot, each] of series) {
      const seconds = each.block()
      const wider = rolled(seconds, from, to)
      blocks.set(slot, seconds)
      put(minutes, hour, slot, wider)
      kind = each.kind
      endOf(ends, slot).take(seconds, wider, window, resets.get(slot))
      if (++count % SERIES_PER_STEP === 0) yield
    }
    writes.push({ table: second5, row: second5.rowWith(window, block, blocks, kind) })
    yield
  }
  for (const [hour, blocks] of minutes) {
    writes.push({ table: minute1, row: minute1.rowWith(hour, block, blocks, kind) })
    yield
  }
}

/** Puts minutes of a series to those of their hour. */
function put(
  minutes: Map<number, Map<number, Block>>,
  hour: number,
  slot: number,
  block: Block,
): void {
  let blocks = minutes.get(hour)
  if (blocks === undefined) {
    blocks = new Map()
    minutes.set(hour, blocks)
  }
  const held = blocks.get(slot)
  blocks.set(slot, held === undefined ? block : mergeBlocks(held, block, frameOf(MINUTE1, hour)))
}

/** Life span and growth of a series within open windows. */
class SlotEnd {
  readonly sum = new CellSum()
  firstS = Number.POSITIVE_INFINITY
  lastS = 0

  /**
   * Takes the cells of a window, of which the minutes are given, too.
   * @param resetS end of the second after which the total begins at nothing
   */
  take(seconds: Block, minutes: Block, window: number, resetS = 0): void {
    const startS = window * SECOND5.windowS
    const { places } = seconds
    this.firstS = Math.min(this.firstS, startS + places[0]! + 1)
    this.lastS = Math.max(this.lastS, startS + places.at(-1)! + 1)
    if (resetS > startS) {
      for (const { place, cell } of entriesOf(seconds, frameOf(SECOND5, window))) {
        if (startS + place + 1 > resetS) this.sum.add(cell)
      }
      return
    }
    const hour = Math.floor(startS / MINUTE1.windowS)
    const whole = frameOf(HOUR, Math.floor(startS / HOUR.windowS))
    const all = rolled(minutes, frameOf(MINUTE1, hour), whole)
    for (const { cell } of entriesOf(all, whole)) this.sum.add(cell)
  }
}

function endOf(ends: Map<number, SlotEnd>, slot: number): SlotEnd {
  let end = ends.get(slot)
  if (end === undefined) {
    end = new SlotEnd()
    ends.set(slot, end)
  }
  return end
}

/** Writes life spans and totals of all that had cells, and of all that have ended. */
function writeSpans(
  { slots, refs }: Tables,
  ends: ReadonlyMap<number, SlotEnd>,
  open: OpenWindows,
): void {
  // one that has ended in these windows may be there again since
  const isThere = (slot: number): boolean => {
    return refs.holder(slot) !== 0 || (open.living.get(slot) ?? true)
  }
  for (const [slot, { firstS, lastS, sum }] of ends) {
    const total = new CellSum()
    const before = open.resets.has(slot) ? undefined : slots.total(slot)
    if (before !== undefined) total.add(before)
    if (sum.cell !== undefined) total.add(sum.cell)
    const isLiving = isThere(slot)
    const whole = isLiving && total.cell ? withSum(total.cell, open.sums.get(slot)) : undefined
    slots.update(slot, { firstS, lastS, total: whole, isLiving })
  }
  for (const slot of open.living.keys()) {
    const isReset = open.resets.has(slot)
    const isLiving = isThere(slot)
    // that a series is there was written when it was defined
    if (!ends.has(slot) && (isReset || !isLiving)) slots.setLiving(slot, isLiving, isReset)
  }
}

/** Gives a total the sum that was told of it; undefined for one that cells add up to exactly. */
function withSum(total: Cell, sum: Exact | undefined): Cell {
  if (sum === undefined) return total
  if (total.kind === 'counter') return { kind: 'counter', delta: sum }
  if (total.kind === 'histogram') {
    const histogram = total.histogram.clone()
    histogram.sum = sum
    return { kind: 'histogram', histogram }
  }
  if (total.kind !== 'summary') return total
  const { count } = total.summary
  const mean = Number(sum) / count
  // a sum is read as mean * count, which must not be less
  const isLess = mean * count < Number(sum)
  const above = isLess ? mean + Math.abs(mean) * Number.EPSILON : mean
  return { kind: 'summary', summary: { ...total.summary, mean: above } }
}

/** Makes long windows of short ones, of those that end before an instant. */
export function* compacting(tables: Tables, beforeS: number): Task {
  for (const short of groupsOf(tables.second5, SECOND, beforeS)) {
    compactSeconds(tables, short)
    yield
  }
  for (const short of groupsOf(tables.minute1, MINUTE, beforeS)) {
    compactMinutes(tables, short)
    yield
  }
}

/** Bundles of short windows that become one. */
interface ShortWindows {
  readonly window: number
  readonly block: number
  readonly parts: number[]
}

function groupsOf(table: BundleTable, long: Level, beforeS: number): Iterable<ShortWindows> {
  const factor = long.windowS / table.level.windowS
  const groups = new Map<string, ShortWindows>()
  for (const [part, block] of table.rows(0, Math.floor(beforeS / long.windowS) * factor)) {
    const window = Math.floor(part / factor)
    const held = groups.get(`${window}/${block}`)
    if (held === undefined) groups.set(`${window}/${block}`, { window, block, parts: [part] })
    else held.parts.push(part)
  }
  return groups.values()
}

function compactSeconds(tables: Tables, short: ShortWindows): void {
  const { second5, second, hour: hours, slots, db } = tables
  const { window: hour, block } = short
  const [kind, parts] = partsIn(second5, short, slots)
  const writes: Write[] = []
  if (kind !== undefined && isDistribution(kind)) {
    const sums = sumsOfParts(tables, hour, block, parts, kind)
    writes.push({ table: second, row: second.rowWithParts(hour, block, parts, kind) })
    writes.push({ table: hours, row: hours.rowWith(monthOf(hour), block, sums, kind) })
  } else if (kind !== undefined) {
    const [from, to] = [frameOf(SECOND, hour), frameOf(HOUR, monthOf(hour))]
    const [, seconds] = joinedParts(second5, short, SECOND, slots)
    const sums = new Map([...seconds].map(([slot, each]) => [slot, rolled(each, from, to)]))
    writes.push({ table: second, row: second.rowWith(hour, block, seconds, kind) })
    writes.push({ table: hours, row: hours.rowWith(monthOf(hour), block, sums, kind) })
  }
  replace(db, second5, short, writes)
}

/** Gives the window of an hour's cell. */
function monthOf(hour: number): number {
  return Math.floor((hour * SECOND.windowS) / HOUR.windowS)
}

/** Reads the chunks of five minutes of an hour, as they are. */
function partsIn(
  table: BundleTable,
  { window, block, parts }: ShortWindows,
  slots: Slots,
): [kind: Kind | undefined, chunks: Map<number, ChunkPart[]>] {
  const chunks = new Map<number, ChunkPart[]>()
  let kind: Kind | undefined
  for (const part of parts) {
    const shift = part * table.level.windowS - window * SECOND.windowS
    const bundle = table.open(part, block)
    for (const slot of bundle?.slots ?? []) {
      kind ??= slots.kindOf(slot)
      if (kind === undefined) continue
      const bytes = table.chunk(bundle!, slot)
      if (bytes === undefined) continue
      const held = chunks.get(slot)
      if (held === undefined) chunks.set(slot, [{ shift, bytes }])
      else held.push({ shift, bytes })
    }
  }
  return [chunks.size === 0 ? undefined : kind, chunks]
}

/**
 * Adds up what parts of an hour bring. An hour that has no cell yet is the sum of its minutes,
 * which have all that was sealed; of one that has, the seconds that came late are read.
 */
function sumsOfParts(
  { minute1, hour: hours }: Tables,
  hour: number,
  block: number,
  parts: ReadonlyMap<number, readonly ChunkPart[]>,
  kind: Kind,
): SlotBlocks {
  const month = monthOf(hour)
  const to = frameOf(HOUR, month)
  const place = hour - (month * HOUR.windowS) / HOUR.cellS
  const [hourBundle, minuteBundle] = [hours.open(month, block), minute1.open(hour, block)]
  const sums = new Map<number, Block>()
  for (const [slot, list] of parts) {
    const held = hourBundle && hours.read(hourBundle, slot, kind, month)
    const isThere = held?.places.includes(place) === true
    const minutes = isThere
      ? undefined
      : minuteBundle && minute1.read(minuteBundle, slot, kind, hour)
    if (minutes !== undefined) {
      sums.set(slot, rolled(minutes, frameOf(MINUTE1, hour), to))
      continue
    }
    const from = frameOf(SECOND, hour)
    const blocks = list.map(({ shift, bytes }) => {
      return rolled(moved(quickCodec().decode(kind, bytes), shift, shift * 1000), from, to)
    })
    sums.set(
      slot,
      blocks.reduce((sum, each) => mergeBlocks(sum, each, to)),
    )
  }
  return sums
}

function compactMinutes({ minute1, minute, slots, db }: Tables, short: ShortWindows): void {
  const [kind, minutes] = joinedParts(minute1, short, MINUTE, slots)
  const { window, block } = short
  const writes =
    kind === undefined ? [] : [{ table: minute, row: minute.rowWith(window, block, minutes, kind) }]
  replace(db, minute1, short, writes)
}

/** Reads bundles of short windows as blocks of the long one. */
function joinedParts(
  table: BundleTable,
  { window, block, parts }: ShortWindows,
  long: Level,
  slots: Slots,
): [kind: Kind | undefined, blocks: SlotBlocks] {
  const to = frameOf(long, window)
  const blocks = new Map<number, Block>()
  let kind: Kind | undefined
  for (const part of parts) {
    const bundle = table.open(part, block)
    for (const slot of bundle?.slots ?? []) {
      kind ??= slots.kindOf(slot)
      const found = kind && table.read(bundle!, slot, kind, part)
      if (found === undefined) continue
      const moved = rolled(found, frameOf(table.level, part), to)
      const held = blocks.get(slot)
      blocks.set(slot, held === undefined ? moved : mergeBlocks(held, moved, to))
    }
  }
  return [blocks.size === 0 ? undefined : kind, blocks]
}

/** Writes the long window in place of the short ones. */
function replace(
  db: DatabaseSync,
  table: BundleTable,
  { block, parts }: ShortWindows,
  writes: readonly Write[],
): void {
  inTransaction(db, () => {
    for (const write of writes) write.table.write(write.row)
    for (const part of parts) table.delete(part, block)
  })
}
