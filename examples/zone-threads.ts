/**
 * Worker threads that share a zone: each counts and measures on its own, without locks, and the
 * main thread reads the totals while they do and after they are gone.
 * Run: npx node examples/zone-threads.ts
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { refusalOf, Zone } from 'pentameter/shm'

const THREADS = 4
const JOBS = 250_000
const text = new TextEncoder()

/** The same key is the same metric in every thread. */
function define(zone: Zone, key: string, type: 'counter' | 'dense'): number {
  const metric = zone.define(text.encode(key), type)
  if (metric < 0) throw new Error(`${key}: ${refusalOf(metric)}`)
  return metric
}

if (isMainThread) {
  const zone = Zone.create()
  const jobs = define(zone, 'jobs', 'counter')
  const sizes = define(zone, 'job.size', 'dense')
  const workers = Array.from({ length: THREADS }, () => {
    return new Worker(fileURLToPath(import.meta.url), { workerData: zone.shared })
  })
  await Promise.all(workers.map((worker) => once(worker, 'exit')))

  const reader = zone.reader()
  console.log(`jobs ${reader.counter(jobs)}`)
  const { bins, sum } = reader.dense(sizes)
  const count = bins.reduce((total, bin) => total + bin, 0n)
  console.log(`sizes ${count}, mean ${Number(sum) / Number(count)}`)
} else {
  const zone = Zone.open(workerData)
  const writer = zone.attach()
  const jobs = writer.counter(define(zone, 'jobs', 'counter'))
  const sizes = writer.dense(define(zone, 'job.size', 'dense'))
  if (jobs === undefined || sizes === undefined) throw new Error('the zone is full')
  for (let i = 0; i < JOBS; i++) {
    jobs.add(1)
    sizes.observe(i & 1023)
  }
  writer.detach()
}
