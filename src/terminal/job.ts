/**
 * A command as a job of a shell: stopped by Ctrl-Z or SIGTSTP with the terminal given back, and
 * taken again by `fg`. Where no shell minds jobs, as under `ssh -t`, the system discards the stop
 * of such an orphaned group (POSIX, 2.4.3), and the command goes on at once.
 */
import type { ProcessEvents } from './exit.ts'

interface JobHandlers {
  /** Gives the terminal back; may be called more than once. */
  leave(): void
  /** Takes it again; it may have been used by others meanwhile. */
  enter(): void
}

/** The sender's whole process group, for kill(2). */
const OWN_GROUP = 0

export class Job {
  readonly #process: ProcessEvents
  readonly #handlers: JobHandlers
  #isWatching = false

  constructor(process: ProcessEvents, handlers: JobHandlers) {
    this.#process = process
    this.#handlers = handlers
  }

  /** Listens for a stop that others ask for, and for the end of one. */
  watch(): void {
    this.#isWatching = true
    this.#process.on('SIGTSTP', this.#onStop)
    this.#process.on('SIGCONT', this.#onContinue)
  }

  close(): void {
    if (!this.#isWatching) return
    this.#isWatching = false
    this.#process.off('SIGTSTP', this.#onStop)
    this.#process.off('SIGCONT', this.#onContinue)
  }

  /** Stops all of the job, as a terminal does: what started this process, npx for one, as well. */
  stop(): void {
    this.#stop(OWN_GROUP)
  }

  /** @param target that is sent the signal: its default stops this process within the call */
  #stop(target: number): void {
    if (!this.#isWatching || this.#process.kill === undefined) return
    this.#handlers.leave()
    this.#process.off('SIGTSTP', this.#onStop)
    try {
      this.#process.kill(target, 'SIGTSTP')
    } catch {
      // a system without jobs
    }
    this.#process.on('SIGTSTP', this.#onStop)
    this.#handlers.enter()
  }

  readonly #onStop = (): void => this.#stop(this.#process.pid ?? OWN_GROUP)

  /** Takes the terminal anew: a stop by SIGSTOP gave no chance to give it back. */
  readonly #onContinue = (): void => {
    this.#handlers.leave()
    this.#handlers.enter()
  }
}
