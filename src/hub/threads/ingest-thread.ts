/** Program of an ingest thread: a {@link ThreadIngest} that talks with the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Dialect } from '../../dialects/dialect.ts'
import { systemClock } from '../../time/system-clock.ts'
import { collectOnce } from '../tasks/collect-once.ts'
import type { ThreadStart, ToThread } from './messages.ts'
import { ThreadIngest } from './thread-ingest.ts'

const STATUS_INTERVAL_MS = 1000

/**
 * Loads the protocol of a dialect, and nothing else of it: a thread compiles anew what it imports,
 * once per thread and at every restart.
 */
async function load({ module }: ThreadStart['dialects'][number]): Promise<Dialect> {
  return ((await import(module)) as { readonly dialect: Dialect }).dialect
}

const main = parentPort!
const start = workerData as ThreadStart
const ingest = new ThreadIngest({
  start,
  clock: systemClock,
  dialects: await Promise.all(start.dialects.map(load)),
  post: (message) => main.postMessage(message),
})
setInterval(() => ingest.tellStatus(), STATUS_INTERVAL_MS).unref()
collectOnce()

main.on('message', (message: ToThread) => {
  void ingest.answer(message).then(() => {
    if (message.kind === 'stop') main.close()
  })
})
