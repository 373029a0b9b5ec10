/**
 * Work that makes bundles of what was appended, in steps: sealing of the open windows, and the
 * making of hours out of five minutes. A step lasts as long as the bundle of 128 series takes.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Kind } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import { inTransaction, setState } from '../database.ts'
import type { OpenWindows } from '../head/open-windows.ts'
import type { Runs } from '../runs.ts'
import type { Slots } from '../slots.ts'
import { CellSum, type Entry, mergeEntries, rolledUp } from './entries.ts'
import {
  type BlockEntries,
  type BundleTable,
  blockNumber,
  HOUR,
  MINUTE,
  SECOND,
  SECOND5,
} from './levels.ts'

export interface Tables {
  readonly db: DatabaseSync
  readonly slots: Slots
  readonly runs: Runs
  readonly second5: BundleTable
  readonly second: BundleTable
  readonly minute: BundleTable
  readonly hour: BundleTable
}

interface Write {
  readonly table: BundleTable
  readonly row: { readonly id: number; readonly bytes: Uint8Array }
}

/** Cells to be added, by window, block and slot. */
type Additions = Map<number, Map<number, Map<number, readonly Entry[]>>>

/**
 * Writes open windows as bundles, in one transaction at the end, which also says that all head logs
 * before `nextHead` are done with.
 */
export function* sealing(tables: Tables, open: OpenWindows, nextHead: number): Task {
  const seconds: Additions = new Map()
  const minutes: Additions = new Map()
  const ends = new Map<number, SlotEnd>()
  for (const [window, series] of open.windows) {
    const startS = window * SECOND5.windowS
    const hour = Math.floor(startS / MINUTE.windowS)
    const shift = startS % MINUTE.windowS
    let count = 0
    for (const [slot, each] of series) {
      const entries = each.entries()
      add(seconds, window, slot, entries)
      add(minutes, hour, slot, rolledUp(entries, MINUTE.cellS, shift))
      endOf(ends, slot, each.kind).take(entries, startS, open.resets.get(slot))
      if (++count % 64 === 0) yield
    }
  }
  const writes: Write[] = []
  yield* rowsOf(tables.second5, seconds, ends, writes)
  yield* rowsOf(tables.minute, minutes, ends, writes)
  inTransaction(tables.db, () => {
    for (const { table, row } of writes) table.write(row)
    writeSpans(tables.slots, ends, open)
    tables.runs.save(tables.db)
    setState(tables.db, 'head', nextHead)
  })
}

function add(additions: Additions, window: number, slot: number, entries: readonly Entry[]): void {
  const blocks = additions.get(window) ?? new Map<number, Map<number, readonly Entry[]>>()
  additions.set(window, blocks)
  const block = blockNumber(slot)
  const slots = blocks.get(block) ?? new Map<number, readonly Entry[]>()
  blocks.set(block, slots)
  const held = slots.get(slot)
  slots.set(slot, held === undefined ? entries : mergeEntries(held, entries))
}

function* rowsOf(
  table: BundleTable,
  additions: Additions,
  ends: ReadonlyMap<number, SlotEnd>,
  writes: Write[],
): Task {
  for (const [window, blocks] of additions) {
    for (const [block, slots] of blocks) {
      const [first] = slots.keys()
      writes.push({ table, row: table.rowWith(window, block, slots, ends.get(first!)!.kind) })
      yield
    }
  }
}

/** Life span and growth of a series within open windows. */
class SlotEnd {
  readonly kind: Kind
  readonly sum = new CellSum()
  firstS = Number.POSITIVE_INFINITY
  lastS = 0

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** @param resetS end of the second after which the total begins at nothing */
  take(entries: readonly Entry[], startS: number, resetS = 0): void {
    for (const { place, cell } of entries) {
      const endS = startS + place + 1
      this.firstS = Math.min(this.firstS, endS)
      this.lastS = Math.max(this.lastS, endS)
      if (endS > resetS) this.sum.add(cell)
    }
  }
}

function endOf(ends: Map<number, SlotEnd>, slot: number, kind: Kind): SlotEnd {
  const end = ends.get(slot) ?? new SlotEnd(kind)
  ends.set(slot, end)
  return end
}

/** Writes life spans and totals of all that had cells, and of all that have ended. */
function writeSpans(slots: Slots, ends: ReadonlyMap<number, SlotEnd>, open: OpenWindows): void {
  for (const [slot, { firstS, lastS, sum }] of ends) {
    const total = new CellSum()
    const before = open.resets.has(slot) ? undefined : slots.total(slot)
    if (before !== undefined) total.add(before)
    if (sum.cell !== undefined) total.add(sum.cell)
    const isLiving = open.living.get(slot) ?? true
    slots.update(slot, { firstS, lastS, total: isLiving ? total.cell : undefined, isLiving })
  }
  for (const [slot, isLiving] of open.living) {
    if (!ends.has(slot)) slots.setLiving(slot, isLiving, open.resets.has(slot))
  }
}

/** Makes bundles of an hour of those of five minutes, of hours that end before an instant. */
export function* compacting(tables: Tables, beforeS: number): Task {
  const limit = Math.floor(beforeS / SECOND.windowS) * (SECOND.windowS / SECOND5.windowS)
  const hours = new Map<string, [hour: number, block: number, windows: number[]]>()
  for (const [window, block] of tables.second5.rows(0, limit)) {
    const hour = Math.floor((window * SECOND5.windowS) / SECOND.windowS)
    const held = hours.get(`${hour}/${block}`)
    if (held === undefined) hours.set(`${hour}/${block}`, [hour, block, [window]])
    else held[2].push(window)
  }
  yield
  for (const [hour, block, windows] of hours.values()) {
    compactBlock(tables, hour, block, windows)
    yield
  }
}

function compactBlock(tables: Tables, hour: number, block: number, windows: number[]): void {
  const { second5, second, hour: hours, slots, db } = tables
  const seconds = new Map<number, readonly Entry[]>()
  let kind: Kind | undefined
  for (const window of windows) {
    const bundle = second5.open(window, block)
    const shift = window * SECOND5.windowS - hour * SECOND.windowS
    for (const slot of bundle?.slots ?? []) {
      kind ??= slots.kindOf(slot)
      const entries = kind && second5.entries(bundle!, slot, kind, window)
      if (entries === undefined) continue
      const moved = entries.map(({ place, cell }) => ({ place: place + shift, cell }))
      seconds.set(slot, mergeEntries(seconds.get(slot) ?? [], moved))
    }
  }
  const hourWindow = Math.floor(hour / 720)
  const sums: BlockEntries = new Map(
    [...seconds].map(([slot, entries]) => {
      const [sum] = rolledUp(entries, HOUR.cellS)
      return [slot, [{ place: hour % 720, cell: sum!.cell }]]
    }),
  )
  const writes: Write[] =
    kind === undefined
      ? []
      : [
          { table: second, row: second.rowWith(hour, block, seconds, kind) },
          { table: hours, row: hours.rowWith(hourWindow, block, sums, kind) },
        ]
  inTransaction(db, () => {
    for (const { table, row } of writes) table.write(row)
    for (const window of windows) second5.delete(window, block)
  })
}
