/** Numbers of a soak against what they must be, as rows of one table; pure. */

export interface Row {
  readonly name: string
  readonly expected: string
  readonly seen: string
  readonly isMet: boolean
}

/** Compares a count with the independent one: nothing may be missing, and nothing too much. */
export function exactly(name: string, expected: number, seen: number): Row {
  return { name, expected: String(expected), seen: String(seen), isMet: seen === expected }
}

/**
 * Compares a count of which so many may be missing, because their loss is said or their fate is
 * not known; never may there be more than was sent.
 */
export function exceptFor(name: string, sent: number, seen: number, missing: number): Row {
  const isMet = seen <= sent && sent - seen <= missing
  return { name, expected: `${sent} - ${missing} at most`, seen: String(seen), isMet }
}

/** Compares a count that goes on, with the independent one read before and after it. */
export function within(name: string, least: number, most: number, seen: number): Row {
  const isMet = seen >= least && seen <= most
  return { name, expected: `${least} to ${most}`, seen: String(seen), isMet }
}

/** Compares a number that has to be above 0, because its kind of work was done at all. */
export function some(name: string, seen: number): Row {
  return { name, expected: 'above 0', seen: String(seen), isMet: seen > 0 }
}

/** Says the rows as a table with a verdict for each. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ name, expected, seen, isMet }) => {
    return [isMet ? 'ok' : 'FAILED', name, expected, seen]
  })
  const all = [['verdict', 'number', 'expected', 'seen'], ...cells]
  const widths = all[0]!.map((_, i) => Math.max(...all.map((row) => row[i]!.length)))
  return all.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')).join('\n')
}
