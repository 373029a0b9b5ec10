/** A program that serves its own page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Metrics, servePage } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'
import { Histogram } from '../../src/model/index.ts'

async function textAt(url: string): Promise<string> {
  return (await fetch(`${url}metrics`)).text()
}

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let i = 0; i < 500; i++) {
    const found = await read()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 20))
  }
  return undefined
}

test('pushes and looks at the page are no requests of the program', async (t) => {
  const metrics = new Metrics(new CounterRegistry())
  t.after(() => metrics.close())
  const measuring = metrics.http()
  t.after(() => measuring.close())
  const orders = metrics.counter('shop.orders')
  const page = await servePage({ port: 0, metrics })
  t.after(() => page.close())
  orders.add(1)
  const own = createServer((_, response) => void response.end('two books'))
  await once(own.listen(0, '127.0.0.1'), 'listening')
  t.after(() => own.close())
  const { port } = own.address() as AddressInfo
  await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const found = () => eventually(async () => /shop_orders/.exec(await textAt(page.url))?.[0])
  assert.ok(await found())
  const counted = (name: string) =>
    metrics
      .snapshot()
      .filter((row) => row.name === name)
      .map(({ labels, value }) => {
        const method = Object.fromEntries(labels)['http.request.method']
        return [method, value instanceof Histogram && Number(value.count)]
      })
  assert.deepEqual(counted('http.server.request.duration'), [['GET', 1]])
  const methods = counted('http.client.request.duration').map(([method]) => method)
  assert.deepEqual([...new Set(methods)], ['GET'])
})

test('shows what was counted before and since, and lets go of its port', async (t) => {
  const metrics = new Metrics(new CounterRegistry())
  const orders = metrics.counter('shop.orders', { description: 'Orders taken' })
  orders.add(4)
  const page = await servePage({ port: 0, metrics })
  t.after(() => page.close())
  const scrape = async (): Promise<string> => (await fetch(`${page.url}metrics`)).text()
  const found = (wanted: RegExp) => eventually(async () => wanted.exec(await scrape())?.[0])
  assert.ok(await found(/^shop_orders_total\{.*\} 4$/m))
  orders.add(3)
  assert.ok(await found(/^shop_orders_total\{.*\} 7$/m))
  assert.match(await scrape(), /^# HELP shop_orders_total Orders taken$/m)
  const listed = await (await fetch(`${page.url}api/v1/series`)).text()
  assert.match(listed, /"name":"shop\.orders"/)
  const again = servePage({ port: Number(new URL(page.url).port), metrics })
  await assert.rejects(again, { name: 'NoListenerError', message: /port is taken/ })
  await page.close()
  await assert.rejects(fetch(page.url))
  metrics.close()
})
