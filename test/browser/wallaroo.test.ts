/** Wallaroo's views of an invented application: two clicks to the slow one, links, the URL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()

function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return decodeURIComponent(pathname + search)
}

test('the start page says what is slow, and a click leads there', { skip }, async (t) => {
  const { page } = await open(t, { path: '/' })
  const verdict = page.getByRole('region', { name: 'Slow computations' }).locator('.verdict')
  await verdict.waitFor()
  assert.match(await verdict.innerText(), /^market-spread: Check Order on worker2 is slow: p99/)
  await verdict.getByRole('link').click()
  await page.locator('.figure').first().waitFor()
  assert.equal(pathOf(page), '/wallaroo/market-spread/Orders/worker2/Check Order')
  await page.goBack()
  await verdict.waitFor()
})

test('two clicks from the start lead to the slow computation', { skip }, async (t) => {
  const { page } = await open(t, { path: '/' })
  await page.getByRole('link', { name: 'Wallaroo', exact: true }).click()
  await page.locator('.verdict').waitFor()
  const verdict = await textOf(page, '.verdict')
  assert.match(verdict, /^Check Order on worker2 is slow: p99 [\d.]+ ms, \d+× the same/)
  await page.locator('.verdict a').click()
  await until(page, isDrawn('canvas[aria-label^="Per cent"]'))
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  await until(page, isDrawn('canvas[aria-label^="Messages per second"]'))
  assert.equal(pathOf(page), '/wallaroo/market-spread/Orders/worker2/Check Order')
  assert.equal(await textOf(page, 'h1'), 'Check Order')
})

test('only the slow cell is amber, and it is in its computation’s row', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread' })
  await page.locator('.matrix tbody tr').first().waitFor()
  assert.equal(await page.locator('.matrix .slow-cell').count(), 1)
  assert.match(await textOf(page, 'tr:has(.slow-cell)'), /^Check Order Orders/)
})

test('the same computation on the other workers stands below it', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread/Orders/worker2/Check%20Order' })
  const rows = page.locator('[aria-label="The same on the other workers"] tbody tr')
  await rows.first().waitFor()
  assert.equal(await rows.count(), 3)
  assert.match(await textOf(page, 'tr.slow'), /^worker2/)
  assert.equal(await page.locator('tr.slow a').count(), 0, 'the place itself is no link')
  await rows.first().getByRole('link').click()
  await eventually(() => pathOf(page).includes('/initializer/'), 'the other worker')
})

test('crumbs lead up, and links across', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread/Orders/worker2?window=300' })
  await page.locator('.figure').first().waitFor()
  const crumbs = await textOf(page, '.crumbs')
  assert.equal(crumbs, 'Wallaroomarket-spreadOrdersworker2')
  await page.getByRole('link', { name: 'Time on this worker alone' }).click()
  await eventually(() => pathOf(page).includes('category=node-ingress-egress'), 'the crossing')
  await page.locator('.crumbs').getByRole('link', { name: 'Orders' }).click()
  await eventually(() => pathOf(page) === '/wallaroo/market-spread/Orders?window=300', 'up')
})

test('an application has one window, and keys that choose another say so', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread' })
  const row = page.locator('.matrix tbody tr').first()
  await row.waitFor()
  const windows = page.getByRole('radiogroup', { name: 'Time window' })
  assert.equal(await windows.count(), 0)
  for (const key of ['1', ']', '+']) await page.keyboard.press(key)
  const why = page.locator('.banner', { hasText: /No window is chosen here: .* last 5 minutes/ })
  await why.waitFor()
  assert.equal(new URL(page.url()).search, '')
  await row.getByRole('link').first().click()
  await windows.waitFor()
  await page.keyboard.press('1')
  await eventually(() => page.url().includes('window='), 'another window')
})

test('a held picture asks for the window of its link', { skip }, async (t) => {
  const path = '/wallaroo/market-spread/Orders?window=30&at=2026-06-11T14:03:22Z'
  const { page, requests } = await open(t, { path })
  await page.locator('.figure').first().waitFor()
  const asked = requests.filter((request) => request.startsWith('/api/v1/wallaroo/view'))
  assert.deepEqual(asked, [
    '/api/v1/wallaroo/view?application=market-spread&category=start-to-end&pipeline=Orders' +
      `&seconds=30&to=${Date.UTC(2026, 5, 11, 14, 3, 22)}`,
  ])
})

test('connections show what their frames give away, notes and rejects', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread' })
  const rows = page.locator('[aria-label="Connections"] tbody tr')
  await rows.first().waitFor()
  const words = await rows.nth(1).innerText()
  assert.match(words, /worker2\s.*document\s+unknown\s+counts what follows/s)
  assert.match(words, /empty_window 40, clock_skew 12\s+bad_topic 1/)
  const states = page.locator('[aria-label="Worker states"] tbody tr')
  assert.match(await states.first().innerText(), /Disconnected\s.*off by 2\smin, behind/s)
})

test('every chart has a table', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread/Orders/-/Check%20Order' })
  await page.locator('.figure').first().waitFor()
  await page.keyboard.press('t')
  const bins = page.getByRole('region', { name: /^Per cent by latency bin of .*, table/ })
  await bins.locator('tbody tr').first().waitFor()
  await bins.focus()
  await page.keyboard.press('End')
  const last = bins.locator('tbody tr', { hasText: /above 8\D388\D608/ })
  await last.waitFor()
  for (const chart of ['Percentiles', 'Messages per second']) {
    const table = page.getByRole('region', { name: new RegExp(`^${chart} of .*, table`) })
    assert.equal(await table.locator('table').getAttribute('aria-rowcount'), '61')
  }
})

test('while no worker has connected the page says so', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo', scene: 'empty' })
  await page.getByText('No worker has connected yet').waitFor()
  await page.getByText('Start a worker with --metrics 127.0.0.1:5001').waitFor()
})

test('what a source took in is told as messages, without a latency', { skip }, async (t) => {
  const path = '/wallaroo/market-spread/Orders/-/Orders%20source?category=pipeline-ingestion'
  const { page } = await open(t, { path })
  await until(page, isDrawn('canvas[aria-label^="Messages per second"]'))
  assert.equal(await page.locator('.figure').count(), 0)
  assert.equal(await page.locator('canvas[aria-label^="Per cent"]').count(), 0)
  const row = await textOf(page, '[aria-label="On each worker"] tbody tr')
  assert.match(row, /^initializer[\d ]+ \/s/)
})
