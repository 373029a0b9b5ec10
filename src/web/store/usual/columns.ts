/** The last ten minutes of a series, in columns of ten seconds. */
export const COLUMN_SECONDS = 10
export const COLUMNS = 60

export class SurveyColumns {
  /** Columns end at multiples of ten seconds; the one that ends at 10 n lies at n % COLUMNS. */
  readonly values = new Float64Array(COLUMNS).fill(Number.NaN)
  newest = 0
  /**
   * Rate per second in the newest column: increments of a counter, observations of a distribution.
   */
  rate = Number.NaN

  set(column: number, value: number): void {
    const from = Math.max(this.newest + 1, column - COLUMNS + 1)
    for (let at = from; at < column; at += 1) this.values[at % COLUMNS] = Number.NaN
    if (column <= this.newest - COLUMNS) return
    this.values[column % COLUMNS] = value
    this.newest = Math.max(this.newest, column)
  }

  /** Lists the columns, oldest first. */
  inOrder(): Float64Array {
    const out = new Float64Array(COLUMNS)
    for (let i = 0; i < COLUMNS; i += 1) {
      out[i] = this.values[(this.newest + 1 + i) % COLUMNS]!
    }
    return out
  }

  get last(): number {
    return this.newest === 0 ? Number.NaN : this.values[this.newest % COLUMNS]!
  }
}
