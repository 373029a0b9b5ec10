/**
 * Worker threads that measure themselves, and one session that sees all of them: the main thread
 * shares its registry, the workers open it, and counters of one source and name are one counter.
 * Run: npx node examples/counter-threads.ts
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { Counter, CounterRegistry, EventCounter, EventSource } from 'pentameter/instrument'

const THREADS = 3
const JOBS = 1_000

if (isMainThread) {
  const registry = new CounterRegistry()
  const shared = registry.share()
  const totals = new Map<string, number>()
  const session = registry.session({ intervalMs: 1000 }, (window) => {
    const amount = window.kind === 'mean' ? window.count : window.increment
    totals.set(window.name, (totals.get(window.name) ?? 0) + amount)
  })
  const boundary = new Promise((resolve) => {
    const watch = setInterval(() => {
      if (totals.get('jobs') !== THREADS * JOBS) return
      clearInterval(watch)
      resolve(undefined)
    }, 50)
  })
  const workers = Array.from({ length: THREADS }, () => {
    return new Worker(fileURLToPath(import.meta.url), { workerData: shared })
  })
  await Promise.all(workers.map((worker) => once(worker, 'exit')))

  await boundary
  session.close()
  console.log(`jobs ${totals.get('jobs')}, latencies ${totals.get('job-time')}`)
} else {
  const registry = CounterRegistry.open(workerData)
  const source = new EventSource('Example.Jobs', { registry })
  const jobs = new Counter('jobs', source)
  const time = new EventCounter('job-time', source, { displayUnits: 'ms' })
  for (let i = 0; i < JOBS; i++) {
    const start = performance.now()
    Math.sqrt(i)
    time.writeMetric(performance.now() - start)
    jobs.add()
  }
}
