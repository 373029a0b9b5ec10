/**
 * How a command at a terminal ends besides its own keys (terminal.md, principle 5): signals, the
 * process that started it going away, and the end of the process itself, an exception included.
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The part of `process` that is needed. */
export interface ProcessEvents {
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
  exit(code: number): void
  /** To the process that started this one, where it is a Node too. */
  readonly channel?: { unref(): void } | null | undefined
}

export interface WayOut {
  /** Asked to end; a second signal ends the process at once. */
  end(): void
  /** Gives the terminal back; may be called more than once. */
  restore(): void
}

/** @returns takes the listeners away */
export function onWayOut(process: ProcessEvents, { end, restore }: WayOut): () => void {
  let isAsked = false
  const onSignal = (): void => {
    if (isAsked) {
      restore()
      process.exit(1)
    }
    isAsked = true
    end()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  process.on('disconnect', end) // an older Node that handed over (bin/pentameter.js) is gone
  process.channel?.unref()
  process.on('exit', restore)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.off('disconnect', end)
    process.off('exit', restore)
  }
}
