/** What application code may do wrong when it is called from here, without harm to others. */

/** Gives a text for anything that was thrown; never throws itself. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error without a text'
  }
}

/** Takes care of a promise that is not waited for: its rejection must not end the process. */
export function ignoreRejection(value: unknown, onRejected: (error: unknown) => void = () => {}) {
  if (typeof value !== 'object' || value === null) return
  Promise.resolve(value).catch(onRejected)
}
