/**
 * The usual of every series, also of those that no chart shows: ten-second columns of the last ten
 * minutes, read in small batches from the range endpoint, the longest unseen first.
 */
import type { RangeColumn } from '../../../http/api.ts'
import { type Entry, type Renumbering, renumber } from '../catalogue.ts'
import type { HubApi } from '../hub-api.ts'
import { COLUMN_SECONDS, COLUMNS, SurveyColumns } from './columns.ts'

/** Series read per round: 1,200 series are seen once a minute, 100 each round. */
const BATCH = 100

export class Survey {
  readonly columns = new Map<number, SurveyColumns>()
  readonly #api: HubApi
  #isReading = false
  #numbering = 0

  constructor(api: HubApi) {
    this.#api = api
  }

  renumber(change: Renumbering): void {
    renumber(this.columns, change)
    this.#numbering += 1
  }

  /**
   * Reads what is missing of the next batch.
   * @param isFirst those that are on screen come before the others
   * @returns whether anything was read
   */
  async round(
    entries: readonly Entry[],
    isFirst: (id: number) => boolean,
    nowMs: number,
  ): Promise<boolean> {
    const last = Math.floor(nowMs / (COLUMN_SECONDS * 1000))
    if (this.#isReading) return false
    const seen = (entry: Entry): number => this.columns.get(entry.id)?.newest ?? 0
    const due = entries
      .filter((entry) => seen(entry) < last)
      .sort((a, b) => Number(isFirst(b.id)) - Number(isFirst(a.id)) || seen(a) - seen(b))
      .slice(0, BATCH)
    this.#isReading = true
    try {
      const fresh = due.filter((entry) => seen(entry) < last - COLUMNS)
      await this.#read(fresh, last - COLUMNS, last)
      const known = due.filter((entry) => seen(entry) >= last - COLUMNS && seen(entry) < last)
      const from = known.reduce((least, entry) => Math.min(least, seen(entry)), last)
      await this.#read(known, from, last)
    } finally {
      this.#isReading = false
    }
    return due.length > 0
  }

  #of(id: number): SurveyColumns {
    let columns = this.columns.get(id)
    if (columns === undefined) {
      columns = new SurveyColumns()
      this.columns.set(id, columns)
    }
    return columns
  }

  async #read(entries: readonly Entry[], from: number, to: number): Promise<void> {
    if (entries.length === 0) return
    const stepMs = COLUMN_SECONDS * 1000
    const numbering = this.#numbering
    const answer = await this.#api.range({
      series: entries.map((entry) => entry.id),
      fromMs: from * stepMs,
      toMs: to * stepMs,
      stepMs,
    })
    // Asked under other numbers: it would be taken for the past of other series.
    if (numbering !== this.#numbering) return
    const first = Math.round((answer.fromMs + answer.stepMs) / stepMs)
    for (const column of answer.columns) {
      const columns = this.#of(column.id)
      for (let i = 0; i < answer.length; i += 1) columns.set(first + i, columnValue(column, i))
      columns.rate = columnRate(column, answer.length - 1)
    }
    // What the hub said nothing about is seen too: it comes again in its turn, not each round.
    for (const { id } of entries) {
      const columns = this.#of(id)
      if (columns.newest < to) columns.set(to, Number.NaN)
    }
  }
}

function columnValue(column: RangeColumn, i: number): number {
  if (column.kind === 'counter') {
    const delta = column.delta[i]
    return delta === null || delta === undefined ? Number.NaN : Number(delta) / COLUMN_SECONDS
  }
  if (column.kind === 'gauge') return column.value[i] ?? Number.NaN
  const cell = column.cells[i]
  if (!cell || cell.count === 0) return Number.NaN
  return 'p99' in cell ? cell.p99 : cell.mean
}

function columnRate(column: RangeColumn, i: number): number {
  if (column.kind === 'counter') return columnValue(column, i)
  if (column.kind === 'gauge') return Number.NaN
  return (column.cells[i]?.count ?? 0) / COLUMN_SECONDS
}
