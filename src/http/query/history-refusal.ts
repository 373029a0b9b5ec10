/** What clients are told where a history refuses a question, or does not answer it. */
import { HistoryError } from '../../history/store.ts'
import { HttpError } from '../http-error.ts'

/** Seconds that a refusal asks to wait: by then those that wait have been answered. */
const RETRY_AFTER_S = 2

/**
 * Gives the error of a question as clients are told it; what is none of a history stays as it is.
 * @param narrower says how to ask for less
 */
export function refusalOf(error: unknown, narrower: string): unknown {
  if (!(error instanceof HistoryError)) return error
  const { code, message } = error
  if (code === 'too_large') return new HttpError(400, code, message, narrower)
  if (code === 'busy') {
    const hint = `ask again in ${RETRY_AFTER_S} s`
    return new HttpError(503, code, message, hint, { 'Retry-After': `${RETRY_AFTER_S}` })
  }
  return new HttpError(503, 'no_history', message, 'GET /api/v1/sources tells its state')
}
