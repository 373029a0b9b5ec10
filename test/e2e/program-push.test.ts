/** Programs that push to a hub: values to the unit, whoever dies in between. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Metrics } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'

/** What `pentameter` means in programs, without a build. */
const SOURCES = new URL('../support/package-sources.ts', import.meta.url).href

async function hubOn(t: TestContext, httpPort = 0): Promise<RunningHub> {
  const hub = await startHub({ config: { httpPort, textPort: 0, streamPort: 0 } })
  t.after(() => hub.close())
  return hub
}

function addressOf(hub: RunningHub): string {
  return `pentameter://127.0.0.1:${hub.addresses.http!.port}`
}

/** Sums the totals of a counter over all processes. */
function totalOf(hub: RunningHub, name: string): bigint {
  let sum = 0n
  for (const { identity, total } of hub.series()) {
    if (identity.name !== name || total.kind !== 'counter') continue
    sum += BigInt(total.total)
  }
  return sum
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await new Promise((done) => setTimeout(done, 10))
}

test('a hub has every bucket; one started anew has what was counted meanwhile', async (t) => {
  const first = await hubOn(t)
  const metrics = new Metrics(new CounterRegistry())
  const orders = metrics.counter('shop.orders')
  const sizes = metrics.histogram('shop.sizes', { unit: 'B', description: 'Sizes of carts' })
  const to = addressOf(first)
  // by hand alone: its own timer is a day away
  const connection = metrics.connect(to, { intervalMs: 86_400_000, log: () => {} })
  t.after(() => metrics.close())
  assert.equal(await connection.flush(), true)
  orders.add(5)
  for (let i = 1; i <= 1000; i++) sizes.record(i / 4)
  assert.equal(await connection.flush(), true)
  await until(() => totalOf(first, 'shop.orders') === 5n)
  assert.equal(totalOf(first, 'shop.orders'), 5n)
  const row = [...first.series()].find(({ identity }) => identity.name === 'shop.sizes')!
  assert.deepEqual([row.metadata.unit, row.metadata.description], ['By', 'Sizes of carts'])
  assert.ok(row.total.kind === 'histogram')
  const { histogram } = row.total
  assert.deepEqual([histogram.count, histogram.sum], [1000n, 125_125])
  const bucketsOf = ({ scale, positive }: typeof histogram) => {
    const [low, high] = positive.span()!
    return [
      scale,
      low,
      [...positive.counts.slice(low - positive.offset, high + 1 - positive.offset)],
    ]
  }
  assert.deepEqual(bucketsOf(histogram), bucketsOf(sizes.value()))

  await first.close()
  orders.add(3)
  assert.equal(await connection.flush(), false)
  assert.equal(connection.status.state, 'failing')
  const second = await hubOn(t, Number(new URL(to).port))
  orders.add(4)
  assert.equal(await connection.flush(), true)
  await until(() => totalOf(second, 'shop.orders') === 7n)
  assert.equal(totalOf(second, 'shop.orders'), 7n)
})

function program(t: TestContext, source: string): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', SOURCES, '--input-type=module', '-e', source],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  t.after(() => child.kill('SIGKILL'))
  return child
}

test('four processes add up exactly once, killed and started again', async (t) => {
  const hub = await hubOn(t)
  const source = (count: number) => `
    import { connect, counter } from 'pentameter'
    const connection = connect('${addressOf(hub)}', {
      service: 'workers', intervalMs: 20, log: () => {}
    })
    const jobs = counter('work.jobs')
    for (let i = 0; i < ${count}; i++) jobs.add()
    if (await connection.flush()) process.send('told')
    setInterval(() => {}, 1000)`
  const start = async (count: number): Promise<ChildProcess> => {
    const child = program(t, source(count))
    await once(child, 'message')
    return child
  }
  const four = await Promise.all([start(1), start(20), start(300), start(4000)])
  for (const child of four.slice(1)) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await Promise.all([start(50_000), start(600_000)])
  await until(() => totalOf(hub, 'work.jobs') === 654_321n)
  assert.equal(totalOf(hub, 'work.jobs'), 654_321n)
})

test('a program that comes to its end sends what is left, and is not kept alive', async (t) => {
  const hub = await hubOn(t)
  const child = program(
    t,
    `import { connect, counter } from 'pentameter'
     connect('${addressOf(hub)}')
     counter('work.done').add(7)`,
  )
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  await until(() => totalOf(hub, 'work.done') === 7n)
  assert.equal(totalOf(hub, 'work.done'), 7n)
})

test('what begins after a push is counted whole, by a younger hub, too', async (t) => {
  const first = await hubOn(t)
  const metrics = new Metrics(new CounterRegistry())
  t.after(() => metrics.close())
  const orders = metrics.counter('shop.orders', { labels: ['by'] })
  orders.with({ by: 'card' }).add()
  const connection = metrics.connect(addressOf(first), { intervalMs: 86_400_000, log: () => {} })
  assert.equal(await connection.flush(), true)
  orders.with({ by: 'card' }).add(10)
  orders.with({ by: 'cash' }).add(200)
  assert.equal(await connection.flush(), true)
  await until(() => totalOf(first, 'shop.orders') === 210n)
  assert.equal(totalOf(first, 'shop.orders'), 210n)

  // a set of labels of the time without a hub, which failed to be sent once already
  const port = first.addresses.http!.port
  await first.close()
  orders.with({ by: 'bill' }).add(3000)
  assert.equal(await connection.flush(), false)
  const second = await hubOn(t, port)
  orders.with({ by: 'gift' }).add(40_000)
  assert.equal(await connection.flush(), true)
  assert.equal(await connection.flush(), true)
  await until(() => totalOf(second, 'shop.orders') === 43_000n)
  assert.equal(totalOf(second, 'shop.orders'), 43_000n)
})
