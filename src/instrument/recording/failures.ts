/** What application code may do wrong when it is called from here, without harm to others. */

/** A text for whatever was thrown; never throws itself. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error without a text'
  }
}

/** A promise that nobody waits for must not end the process when it is rejected. */
export function ignoreRejection(value: unknown, onRejected: (error: unknown) => void = () => {}) {
  if (typeof value !== 'object' || value === null) return
  Promise.resolve(value).catch(onRejected)
}
