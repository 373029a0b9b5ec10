/** Program of an ingest thread: a {@link ThreadIngest} that talks with the main thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../time/system-clock.ts'
import type { ThreadStart, ToThread } from './messages.ts'
import { THREAD_DIALECTS } from './thread-dialects.ts'
import { ThreadIngest } from './thread-ingest.ts'

const STATUS_INTERVAL_MS = 1000

const main = parentPort!
const ingest = new ThreadIngest({
  start: workerData as ThreadStart,
  clock: systemClock,
  dialects: THREAD_DIALECTS,
  post: (message) => main.postMessage(message),
})
setInterval(() => ingest.tellStatus(), STATUS_INTERVAL_MS).unref()

main.on('message', (message: ToThread) => {
  void ingest.answer(message).then(() => {
    if (message.kind === 'stop') main.close()
  })
})
