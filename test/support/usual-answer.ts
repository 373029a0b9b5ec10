/** Answers of `GET /api/v1/usual`, packed as a hub does. */
import type { UsualAnswer } from '../../src/http/api.ts'

interface UsualRow {
  readonly id: number
  readonly recent: number
  readonly usual: number
  readonly spread: number
  readonly rate?: number
  readonly unusualS?: number
}

export function packUsual(
  endMs: number,
  rows: readonly UsualRow[],
  stale: readonly number[] = [],
): UsualAnswer {
  const packed = (of: (row: UsualRow) => number): string =>
    Buffer.from(Float32Array.from(rows, of).buffer).toString('base64')
  const ids = (list: readonly number[]): string =>
    Buffer.from(Uint32Array.from(list).buffer).toString('base64')
  return {
    ...{ endMs, nextMs: 10_000, compared: rows.length, ids: ids(rows.map(({ id }) => id)) },
    recent: packed(({ recent }) => recent),
    usual: packed(({ usual }) => usual),
    spread: packed(({ spread }) => spread),
    rate: packed(({ rate = Number.NaN }) => rate),
    unusualS: packed(({ unusualS = 0 }) => unusualS),
    stale: ids(stale),
  }
}
