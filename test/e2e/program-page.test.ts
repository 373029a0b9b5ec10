/** A program that serves its own page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics, servePage } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let i = 0; i < 500; i++) {
    const found = await read()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 20))
  }
  return undefined
}

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
