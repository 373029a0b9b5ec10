/**
 * Threads of a hub's process, for a test that ends them (loaded by inside.ts): each Worker is noted
 * when it is made, by its name or else by the folder of its program.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const require = createRequire(import.meta.url)
const threads = require('node:worker_threads') as typeof import('node:worker_threads')
const running = new Map<InstanceType<typeof threads.Worker>, string>()

/** Has all threads that are made from now on noted. */
export function noteThreads(): void {
  const { Worker } = threads
  class NotedWorker extends Worker {
    constructor(...[program, options]: ConstructorParameters<typeof Worker>) {
      super(program, options)
      running.set(this, options?.name ?? String(program))
      this.once('exit', () => running.delete(this))
    }
  }
  Object.assign(threads, { Worker: NotedWorker })
  syncBuiltinESMExports()
}

/** Ends the threads whose name has this in it, as a fault of theirs would. */
export function endThreads(name: string): void {
  for (const [worker, own] of running) if (own.includes(name)) void worker.terminate()
}
