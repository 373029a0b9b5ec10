/**
 * How a command ends: its exit codes (0 all went well, 1 something did not work, 2 the words of the
 * command are off, 70 a fault of the program), and what ends one that goes on besides its own keys:
 * signals, the process that started it going away, and the end of the process itself, an exception
 * included.
 */
export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
/** A fault of the program itself (EX_SOFTWARE of sysexits.h). */
export const EXIT_INTERNAL = 70

/** A failure with a message for the person at the terminal, and no stack trace. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT_FAILED) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Code of a process that SIGQUIT ends, as shells have it: 128 + 3. */
const EXIT_QUIT = 131
/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The part of `process` that is needed. */
export interface ProcessEvents {
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
  exit(code: number): void
  readonly pid?: number
  kill?(pid: number, signal: string): unknown
  /** Channel to the process that started this one, where it is a Node too. */
  readonly channel?: { unref(): void } | null | undefined
}

interface ExitHandlers {
  /**
   * Finishes the command; a second signal ends the process at once.
   * @param signal undefined when the process that started this one is gone
   */
  end(signal?: string): void
  /** Gives the terminal back; may be called more than once. */
  restore?(): void
  /** Tells in the end what was seen, where SIGQUIT does not wait for the command to do so. */
  quit?(): void
  /** Takes SIGHUP, which ends nothing then: without a terminal it does not say that one is gone. */
  hangUp?(): void
}

/** Listens for all ways to end. @returns what takes the listeners away */
export function onExit(process: ProcessEvents, handlers: ExitHandlers): () => void {
  const { end, restore, quit, hangUp } = handlers
  let isAsked = false
  const onSignal = (signal: string): void => {
    if (isAsked) {
      restore?.()
      process.exit(1)
    }
    isAsked = true
    end(signal)
  }
  // ends at once, as it does without a listener, but the terminal is given back
  const onQuit = (): void => {
    restore?.()
    quit?.()
    process.exit(EXIT_QUIT)
  }
  const onGone = (): void => end() // an older Node that handed over (bin/pentameter.js) is gone
  const listeners = new Map<string, () => void>([
    ...SIGNALS.map((signal) => [signal, () => onSignal(signal)] as const),
    ...(hangUp === undefined ? [] : [['SIGHUP', () => hangUp()] as const]),
    ['disconnect', onGone],
    ...(restore === undefined
      ? []
      : ([
          ['exit', () => restore()],
          ['SIGQUIT', () => onQuit()],
        ] as const)),
  ])
  for (const [event, listener] of listeners) process.on(event, listener)
  process.channel?.unref()
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener)
  }
}
