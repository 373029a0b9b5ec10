/** Words about deleting a series: what would go, what has gone, and why nothing went. */
import type { DeletionAnswer, SeriesInfo } from '../../http/api.ts'
import { exact, totalText } from '../../viewer/format/number.ts'
import { RefusedRequest } from '../../viewer/store/hub-api.ts'

/** Says what of a series would be lost. */
export function lossWords({ kind, current }: SeriesInfo): string {
  if (current === null) return 'The series goes'
  if (kind === 'counter') return `The series goes, with its total of ${totalText(current)}`
  if (kind === 'gauge') return 'The series goes, with its last value'
  const noun = current === 1 ? 'observation' : 'observations'
  return `The series goes, with its ${exact(current)} ${noun}`
}

/** Words of the hub's answer that it keeps the series. */
export const KEPT_WORDS = 'The series stays: it is one of a filter, or of the hub itself.'

/** Says how many series went; undefined where the hub keeps the one that was asked for. */
export function deletedWords(text: string, answer: DeletionAnswer): string | undefined {
  if (answer.deleted > 0) return `${answer.deleted} series deleted: ${text}`
  return answer.kept > 0 ? undefined : `0 series deleted: ${text} had gone before`
}

/** Says why nothing was deleted. */
export function refusalWords(error: unknown): string {
  if (!(error instanceof RefusedRequest))
    return 'The hub did not answer. The series may still be there.'
  const { status, reason } = error
  if (status !== 403) return `The hub refused: ${reason}. The series stays.`
  return 'Series can be deleted only on the machine of the hub. The series stays.'
}
