/** Exit codes: 0 all went well, 1 something did not work, 2 the words of the command are off. */
export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** A failure with a message for the person at the terminal, and no stack trace. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT_FAILED) {
    super(message)
    this.exitCode = exitCode
  }
}
