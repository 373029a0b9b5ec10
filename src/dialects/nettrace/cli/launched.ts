/**
 * A program that is started to be watched, `-- COMMAND`, as dotnet-counters does: it dials us, and
 * begins when the session is open, so that nothing is missed. It ends when the watching does.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../time/clock.ts'
import { awaitRuntime } from './dialled.ts'
import { ProcessNotFoundError, type WatchedProcess } from './process-feed.ts'

/** Time that a program has to end when it is told to, ms; then it is killed. */
const END_LIMIT_MS = 5000

/**
 * Starts a program, and waits until it dials.
 * @param words path or name of the program, and its arguments
 * @param isResumed whether it is told to begin
 * @throws {ProcessNotFoundError} for one that cannot be started, or ends without having dialled
 */
export async function launchRuntime(
  words: readonly string[],
  isResumed: boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<WatchedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'pentameter-'))
  const path = join(folder, 'port')
  const gone = new AbortController()
  let program: Program | undefined
  const close = async (): Promise<void> => {
    await program?.end(clock)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const either = AbortSignal.any([signal, gone.signal])
    const found = await awaitRuntime(path, isResumed, clock, either, () => {
      program = new Program(words, path, (error) => gone.abort(error))
    })
    return {
      ...found,
      async close() {
        await found.close?.()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A program in a group of its own: a Ctrl-C is for those who watch it. */
class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  /** Ends it with this process, where that ends at once: of a reader that has gone, for one. */
  readonly #onExit = (): void => this.#signal('SIGTERM')

  constructor(
    [program = '', ...args]: readonly string[],
    path: string,
    onGone: (error: ProcessNotFoundError) => void,
  ) {
    const env = { ...process.env, DOTNET_DiagnosticPorts: path }
    this.#child = spawn(program, args, { env, stdio: 'ignore', detached: true })
    this.#child.once('error', ({ message }) => {
      onGone(new ProcessNotFoundError(`${program} was not started: ${message}`))
    })
    this.#child.once('exit', (code, signal) => {
      const how = code === null ? `by ${signal}` : `with ${code}`
      const text = `${program} has ended ${how}, and no runtime of .NET has dialled`
      onGone(new ProcessNotFoundError(text, 'give a .NET program, as in -- dotnet App.dll'))
    })
    this.#closed = once(this.#child, 'close').catch(() => {})
    process.once('exit', this.#onExit)
  }

  async end(clock: Clock): Promise<void> {
    this.#signal('SIGTERM')
    const cancel = clock.after(END_LIMIT_MS, () => this.#signal('SIGKILL'))
    await this.#closed
    cancel()
    process.off('exit', this.#onExit)
  }

  #signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    try {
      process.kill(-pid, name)
    } catch {
      // its end has not been told yet
    }
  }
}
