/** Processes of a cluster, whose `/metrics` are of all of them whichever is asked. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readFamilies } from '../support/outputs/metric-families.ts'

/** What `pentameter` means in programs, without a build. */
const SOURCES = new URL('../support/package-sources.ts', import.meta.url).href

/** Primary that does what it is told, and workers that do what their primary is told for them. */
const PROGRAM = `
import cluster from 'node:cluster'
import { counter, gauge, histogram, metrics } from 'pentameter'
const hasPrimary = process.env.GATHERS !== 'no'
const all = cluster.isWorker || hasPrimary ? metrics.cluster() : undefined
if (cluster.isPrimary) {
  const workers = new Map()
  process.on('message', async ({ does, worker, ...more }) => {
    if (does === 'fork') {
      const made = cluster.fork()
      workers.set(worker, made)
      made.on('message', (message) => message.reply && process.send(message))
      made.once('exit', () => process.send({ reply: 'exit', worker }))
    } else if (does === 'kill') workers.get(worker).process.kill('SIGKILL')
    else if (worker !== undefined) workers.get(worker).send({ does, ...more })
    else if (does === 'text') process.send({ reply: 'text', text: await all.text() })
    else if (does === 'end') process.exit()
  })
} else {
  process.on('message', async ({ does, amount }) => {
    if (does === 'count') {
      counter('work.jobs').add(amount)
      histogram('work.sizes').record(amount)
      gauge('work.last').set(amount)
      process.send({ reply: 'counted' })
    } else if (does === 'text') process.send({ reply: 'text', text: await all.text('openmetrics') })
    else if (does === 'bytes') {
      const accept = 'application/vnd.google.protobuf;encoding=delimited;' +
        'proto=io.prometheus.client.MetricFamily'
      const answer = await all.response({ headers: new Headers({ accept }) })
      const bytes = Buffer.from(await answer.arrayBuffer())
      process.send({ reply: 'text', text: bytes.toString('base64') })
    }
    else if (does === 'leave') process.exit()
    else if (does === 'stop') process.kill(process.pid, 'SIGSTOP')
  })
  process.send({ reply: 'up', pid: process.pid })
}`

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

type Told = Readonly<Record<string, string>>

class Primary {
  readonly #child: ChildProcess
  readonly #workers: number[] = []

  constructor(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-cluster-'))
    const file = join(folder, 'program.mjs')
    writeFileSync(file, PROGRAM)
    this.#child = spawn(process.execPath, ['--import', SOURCES, file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...environment },
    })
    t.after(() => {
      this.#child.kill('SIGKILL')
      // one that was stopped would never notice that its primary is gone
      for (const pid of this.#workers) killIfThere(pid)
      rmSync(folder, { recursive: true })
    })
  }

  async ask(message: object, reply?: string): Promise<Told> {
    this.#child.send(message)
    while (reply !== undefined) {
      const [told] = (await once(this.#child, 'message')) as [Told]
      if (told.reply === reply) return told
    }
    return {}
  }

  async fork(worker: string): Promise<void> {
    const { pid } = await this.ask({ does: 'fork', worker }, 'up')
    this.#workers.push(Number(pid))
  }

  async count(worker: string, amount: number): Promise<void> {
    await this.ask({ does: 'count', worker, amount }, 'counted')
  }

  /** Asks one of the processes; the primary without a worker. */
  async scrape(worker?: string): Promise<(name: string) => number | undefined> {
    const { text } = await this.ask({ does: 'text', worker }, 'text')
    return (start) => {
      const line = text!.split('\n').find((each) => each.startsWith(start))
      return line === undefined ? undefined : Number(line.split(' ').at(-1))
    }
  }
}

test('a scrape of any process is of all; what killed workers counted stays', async (t) => {
  const primary = new Primary(t)
  for (const worker of ['a', 'b', 'c', 'd']) await primary.fork(worker)
  await primary.count('a', 1)
  await primary.count('b', 20)
  await primary.count('c', 300)
  await primary.count('d', 4000)
  for (const worker of [undefined, 'a', 'd']) {
    const value = await primary.scrape(worker)
    assert.equal(value('work_jobs_total'), 4321)
    assert.equal(value('work_sizes_count'), 4)
    assert.equal(value('work_sizes_sum'), 4321)
    assert.equal(value('metrics_processes{'), 5)
    assert.equal(value('metrics_processes_silent{'), 0)
    assert.equal(value('work_last{provider="work",worker="2"}'), 20)
  }
  const { text } = await primary.ask({ does: 'bytes', worker: 'a' }, 'text')
  const families = readFamilies(Buffer.from(text!, 'base64'))
  assert.equal(families.get('work_jobs_total')?.metrics[0]?.value, 4321)
  assert.deepEqual(families.get('work_sizes')?.metrics[0]?.native?.schema, 3)
  await primary.ask({ does: 'kill', worker: 'b' }, 'exit')
  // it tells what it has not told yet when it ends by itself
  await primary.count('c', 600_000)
  await primary.ask({ does: 'leave', worker: 'c' }, 'exit')
  await primary.fork('b')
  await primary.count('b', 50_000)
  const value = await primary.scrape('b')
  assert.equal(value('work_jobs_total'), 654_321)
  assert.equal(value('work_sizes_count'), 6)
  assert.equal(value('metrics_processes{'), 4)
  assert.equal(value('work_last{provider="work",worker="2"}'), undefined)
  assert.equal(value('work_last{provider="work",worker="5"}'), 50_000)
})

test('a worker that hangs is there with its last values, and is counted', async (t) => {
  const primary = new Primary(t)
  for (const worker of ['a', 'b']) await primary.fork(worker)
  await primary.count('a', 1)
  await primary.count('b', 20)
  assert.equal((await primary.scrape())('work_jobs_total'), 21)
  await primary.ask({ does: 'stop', worker: 'b' })
  await primary.count('a', 300)
  const value = await primary.scrape()
  assert.equal(value('work_jobs_total'), 321)
  assert.equal(value('metrics_processes_silent{'), 1)
})

test('without a primary that takes part a worker says that it answers for itself', async (t) => {
  const primary = new Primary(t, { GATHERS: 'no' })
  for (const worker of ['a', 'b']) await primary.fork(worker)
  await primary.count('a', 1)
  await primary.count('b', 20)
  const value = await primary.scrape('b')
  assert.equal(value('work_jobs_total'), 20)
  assert.equal(value('metrics_processes{of="process",provider="metrics"}'), 1)
})
