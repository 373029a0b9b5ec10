/**
 * Worker threads that count, and one `/metrics` that has all of them: the main thread shares its
 * registry, each worker opens it, and instruments of one name are one, which the main thread shows.
 * Run: npx node examples/worker-threads.ts
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { counter, Metrics, metrics } from 'pentameter'
import { CounterRegistry } from 'pentameter/instrument'

const THREADS = 3
const JOBS = 1_000

if (isMainThread) {
  counter('example.pool.jobs').add() // one of its own
  const shared = metrics.registry.share()
  const workers = Array.from({ length: THREADS }, () => {
    return new Worker(fileURLToPath(import.meta.url), { workerData: shared })
  })
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  console.log(metrics.text().match(/^example_pool_(jobs_total|busy_seconds_total|.*_count).*$/gm))
} else {
  const own = new Metrics(CounterRegistry.open(workerData))
  const jobs = own.counter('example.pool.jobs')
  const busy = own.counter('example.pool.busy', { unit: 's', isFractional: true })
  const sizes = own.histogram('example.pool.job-size')
  for (let i = 0; i < JOBS; i++) {
    sizes.record(i % 100)
    jobs.add()
    busy.add(0.25)
  }
}
