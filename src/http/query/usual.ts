/** Which series are not as usual (api.ts UsualAnswer). */
import type { Comparison, Row, Usual } from '../../hub/usual/usual.ts'
import type { UsualAnswer } from '../api.ts'

/** While the past is read, the question is asked again so soon. */
const SOON_MS = 1000
/** Ten seconds, and what it takes to compare them. */
const NEXT_MS = 10_300
const NOTHING = { recent: '', usual: '', spread: '', rate: '', unusualS: '', stale: '' }

/** @param series ids of those that are told of although they are as usual; all where left out */
export function usualAnswer(
  usual: Usual,
  nowMs: number,
  series: readonly number[] | undefined,
): UsualAnswer {
  const found = usual.ask()
  if (found === undefined) {
    return { endMs: null, nextMs: SOON_MS, compared: 0, ids: '', ...NOTHING }
  }
  const rows = [...told(found, series)]
  const numbers = (of: (row: Row) => number): string => packed(Float32Array.from(rows, of))
  return {
    endMs: found.endMs,
    nextMs: Math.min(NEXT_MS, Math.max(SOON_MS, found.endMs + NEXT_MS - nowMs)),
    compared: found.rows.size,
    ids: packed(Uint32Array.from(rows, ({ id }) => id)),
    recent: numbers(({ recent }) => recent),
    usual: numbers((row) => row.usual),
    spread: numbers(({ spread }) => spread),
    rate: numbers(({ rate }) => rate),
    unusualS: numbers(({ unusualS }) => unusualS),
    stale: packed(Uint32Array.from(found.stale)),
  }
}

function* told(
  { rows, unusual }: Comparison,
  series: readonly number[] | undefined,
): Iterable<Row> {
  if (series === undefined) {
    yield* rows
    return
  }
  yield* unusual
  for (const id of series) {
    const row = rows.get(id)
    if (row !== undefined && row.unusualS === 0) yield row
  }
}

/** Packs numbers; those of all machines that this runs on are little-endian. */
function packed({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
