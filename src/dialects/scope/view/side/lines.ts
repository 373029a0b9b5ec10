/** Lines and plots of a board as choices. */
import type { ScopeSession } from '../session/session.ts'
import type { Choice } from './fields.tsx'

/** Lists lines by their names in options, in the order of the board. */
export function linesOf(session: ScopeSession): readonly Choice[] {
  return session.plots.value.flatMap(({ lines }) => lines.map(({ key }) => [key, key] as const))
}

/** Puts a line before the others that options are about and that is not there. */
export function withAbsent(lines: readonly Choice[], key: string): readonly Choice[] {
  const isThere = key === '' || lines.some(([each]) => each === key)
  return isThere ? lines : [[key, `${key} (not there)`], ...lines]
}

export function plotsOf(session: ScopeSession): readonly Choice[] {
  return session.plots.value.map(({ name }) => [name, name] as const)
}
