import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { FakeClock } from '../test/support/fake-clock.ts'
import { FREE_PORTS, PORTS, portOptions } from '../test/support/ports.ts'
import { StatsHeroClient } from './dialects/statshero/index.ts'
import {
  type CanonicalSeries,
  ConfigError,
  type HubOptions,
  NoListenerError,
  startHub,
} from './hub/index.ts'

const FREE: HubOptions = { ...FREE_PORTS, ingestWorkers: 0 }
const PORT_NAMES = PORTS.map(({ name }) => name)

/** A port that another server holds until the test ends, or `free` is called. */
async function takenPort(t: TestContext): Promise<{ port: number; free(): Promise<unknown> }> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const free = (): Promise<unknown> => {
    const closed = once(other, 'close')
    other.close()
    return closed
  }
  t.after(() => other.close())
  return { port: (other.address() as AddressInfo).port, free }
}

test('a hub with its page and API starts by one call, and is gone after close', async () => {
  const hub = await startHub({ config: FREE })
  assert.deepEqual(Object.keys(hub.addresses), PORT_NAMES)
  const base = `http://127.0.0.1:${hub.addresses.http!.port}`
  assert.equal((await fetch(`${base}/healthz`)).status, 200)
  assert.equal(hub.sources().listeners.length, PORT_NAMES.length - 1)
  await hub.close()
  await assert.rejects(fetch(`${base}/healthz`))
})

test('a thread that dies while HTTP finishes is not started anew', async () => {
  const threads: Worker[] = []
  const hub = await startHub({
    config: { ...FREE, ingestWorkers: 1 },
    createWorker(workerData) {
      const program = new URL('./hub/threads/ingest-thread.ts', import.meta.url)
      const thread = new Worker(program, { workerData, execArgv: [] })
      threads.push(thread)
      return thread
    },
  })
  const { host, port } = hub.addresses.http!
  const slow = connect(port, host)
  slow.on('error', () => {})
  await once(slow, 'connect')
  slow.write('GET /healthz HTTP/1.1\r\n')
  await fetch(`http://${host}:${port}/healthz`) // the one that is unfinished has come in, too
  const closed = hub.close()
  await threads[0]!.terminate()
  slow.destroy()
  await closed
  assert.equal(threads.length, 1)
})

const ofLinux = process.platform === 'linux' ? {} : { skip: 'threads have names in /proc of Linux' }

test(
  'the threads of Node have their places before those of the hub ask for theirs',
  ofLinux,
  () => {
    const program = `
    import { readdirSync, readFileSync } from 'node:fs'
    import { startHub } from '${new URL('start-hub.ts', import.meta.url)}'
    const nameOf = (id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim()
    const ofNode = () => readdirSync('/proc/self/task').map(nameOf).filter((n) => /libuv/.test(n))
    const before = ofNode().length
    const createWorker = () => {
      console.log(before, ofNode().length)
      process.exit()
    }
    await startHub({ config: ${JSON.stringify({ ...FREE, ingestWorkers: 1 })}, createWorker })`
    const args = ['--input-type=module', '--eval', program]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(stdout, '0 4\n', stderr)
  },
)

test('options of no dialect, and wrong ones, are refused before anything is bound', async () => {
  await assert.rejects(startHub({ config: { ...FREE, nosuch: 1 } }), ConfigError)
  await assert.rejects(startHub({ config: { ...FREE, statshero: {} }, guests: [] }), ConfigError)
})

test('a start that is refused late keeps neither the process nor the history', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pentameter-refused-'))
  const config = JSON.stringify({ ...FREE, history: { path: folder } })
  const entry = JSON.stringify(new URL('./hub/index.ts', import.meta.url).href)
  const script = `
    const { startHub } = await import(${entry})
    const config = ${config}
    const refused = { ...config, attach: ['nosuch://127.0.0.1:1'] }
    await startHub({ config: refused }).catch(({ name }) => console.log(name))
    const hub = await startHub({ config })
    console.log(hub.sources().history.state)
    await hub.close()
    await startHub({ config: refused }).catch(() => {})`
  const options = { encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script], options)
  await rm(folder, { recursive: true })
  assert.deepEqual([stdout, status], ['ConfigError\nrunning\n', 0], stderr)
})

test('an HTTP port that is taken is told in the addresses, and tried again', async (t) => {
  const { port, free } = await takenPort(t)
  const clock = new FakeClock()
  const lines: string[] = []
  const log = (_level: string, message: string): void => void lines.push(message)
  const hub = await startHub({ config: { ...FREE, httpPort: port }, clock, log })
  const wished = { host: '127.0.0.1', port }
  const error = 'port is taken by another process'
  assert.deepEqual(hub.addresses.http, { ...wished, error })
  await free()
  clock.advance(15_000)
  while (!lines.includes('listener http is up')) await new Promise(setImmediate)
  assert.deepEqual(hub.addresses.http, wished)
  await Promise.all([hub.close(), clock.advance(5000)])
})

test('a hub whose ports are all taken does not start, and says why for each', async (t) => {
  const { port } = await takenPort(t)
  const config = { ...FREE, ...portOptions(port) }
  await assert.rejects(startHub({ config }), (error: Error) => {
    assert.ok(error instanceof NoListenerError)
    for (const name of PORT_NAMES) {
      assert.match(error.message, new RegExp(`${name} on ${port}: port is taken`))
    }
    return true
  })
})

test('a hub whose port the system chooses has a name of its own in OTLP, not port 0', async () => {
  const names: string[] = []
  for (let i = 0; i < 2; i++) {
    const hub = await startHub({ config: FREE })
    const answer = await fetch(`http://127.0.0.1:${hub.addresses.http!.port}/api/v1/otlp`)
    const name = /"service\.instance\.id","value":\{"stringValue":"([^"]+)"/.exec(
      await answer.text(),
    )
    names.push(name![1]!)
    await hub.close()
  }
  for (const name of names) assert.match(name, /:127\.0\.0\.1:[0-9a-f-]{36}$/)
  assert.notEqual(names[0], names[1])
})

test('values for one more server of viewers: gauges now, counters as rate and total', async () => {
  const clock = new FakeClock()
  const hub = await startHub({ config: { ...FREE, httpPort: 0 }, clock })
  const client = new StatsHeroClient({ host: '127.0.0.1', port: hub.addresses.text!.port })
  await client.start()
  client.meter('orders').record(3)
  client.gauge('carts').record(7)
  client.histogram('latency', 1).record(20)
  await client.close()
  const source = hub.viewerSource(['p99'])
  const values = (): Record<string, number> => {
    const list = source.list()
    const target = new Float64Array(list.length)
    source.read(target)
    const nameOf = (each: CanonicalSeries): string =>
      [each.identity.name, each.statistic].filter(Boolean).join('.')
    return Object.fromEntries(list.map((each, i) => [nameOf(each), target[i]!]))
  }
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let turns = 0; !isSo(); turns++) {
      assert.ok(turns < 10_000, JSON.stringify(values()))
      await new Promise(setImmediate)
      clock.advance(1)
    }
  }
  await until(() => values().carts === 7 && values().latency === 20)
  const { orders: _, ...seen } = values()
  assert.deepEqual(seen['orders.total'], 3)
  assert.equal(seen.latency, 20)
  assert.ok(Math.abs(seen['latency.p99']! - 20) < 1)
  source.close()
  await Promise.all([hub.close(), clock.advance(5000)])
})
