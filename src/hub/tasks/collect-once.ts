/**
 * One collection of all that a start leaves behind, in the thread that calls: code that ran once
 * and won't again, texts of what was read, room that grew (docs/decisions/0021).
 */

/** Time for what is done once a hub is up, ms. */
const AFTER_MS = 1000

/**
 * Plans the collection, where V8 lets a program ask for it: in a thread of a process that has set
 * `--expose-gc` before, as the command line does. Elsewhere it does nothing.
 */
export function collectOnce(collect: NodeJS.GCFunction | undefined = globalThis.gc): void {
  if (collect === undefined) return
  const run = (): void => {
    // by this flavor alone V8 lets go of compiled code
    void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
  setTimeout(run, AFTER_MS).unref()
}
