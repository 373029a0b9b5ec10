/** Comparison: two workers of an application, two windows of one series. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseCsv } from '../support/csv.ts'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const query = (page: Page, name: string): string | null =>
  new URL(page.url()).searchParams.get(name)
const pathOf = (page: Page): string => decodeURIComponent(new URL(page.url()).pathname)

test('two workers are compared from the application on, the slow one first', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread' })
  await page.getByRole('link', { name: 'Compare two workers' }).click()
  await until(page, isDrawn('canvas[aria-label^="Per cent by latency bin of"]'))
  assert.equal(pathOf(page), '/wallaroo/market-spread/-/worker2')
  assert.equal(query(page, 'against'), 'initializer')
  assert.equal(await textOf(page, 'h1'), 'worker2 against initializer')
  await until(page, isDrawn('canvas[aria-label^="p50 and p99 of"]'))
  const slow = page.locator('[aria-label="By computation, table"] tr.slow')
  assert.match((await slow.first().innerText()).replace(/\s+/g, ' '), /^Check Order.* \d+×/)
  await page.getByLabel('Compare with').selectOption({ label: 'worker3' })
  await eventually(() => query(page, 'against') === 'worker3', 'the other worker')
  await page.getByLabel('Compare with').selectOption({ label: 'nothing more' })
  await eventually(() => query(page, 'against') === null, 'one worker again')
  await page.locator('.figure').first().waitFor()
})

test('the bin under the pointer says both shares; both stand in the file', { skip }, async (t) => {
  const path = '/wallaroo/market-spread/Orders/worker2/Check%20Order?against=worker3'
  const { page } = await open(t, { path })
  const bars = page.locator('canvas[aria-label^="Per cent by latency bin of Check Order"]')
  await until(page, isDrawn('canvas[aria-label^="Per cent by latency bin of"]'))
  const box = (await bars.boundingBox())!
  await page.mouse.move(box.x + box.width - 20, box.y + 60)
  await until(
    page,
    `/^above .*: worker2 [\\d.]+.%.*, worker3 0.%/
    .test(document.querySelector('.at-pointer')?.innerText ?? '')`,
  )
  const panel = page.getByRole('region', { name: 'Per cent by latency bin' })
  await panel.locator('.more').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save numbers' }).click(),
  ])
  const [heads] = parseCsv(readFileSync(await download.path(), 'utf8'))
  const names = ['bin', 'worker2', 'worker2_share_percent', 'worker3', 'worker3_share_percent']
  assert.deepEqual(heads, names)
})

test('a series is compared with itself some time before', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/checkout.latency{route=/pay}' })
  await page.getByLabel('Compare with').selectOption({ label: '2 min before' })
  await eventually(() => query(page, 'before') === '120', 'in the link')
  await until(page, isDrawn('canvas[aria-label^="Distribution in both windows"]'))
  await until(page, isDrawn('canvas[aria-label*="now and 2"]'))
  const p99 = page.locator('[aria-label="Numbers, table"] tr').filter({
    has: page.getByText('p99', { exact: true }),
  })
  await until(page, `/×/.test(document.querySelector('[aria-label="Numbers, table"]').innerText)`)
  // It is slow since less than a minute, and was not before.
  assert.match((await p99.innerText()).replace(/\s+/g, ' '), /^p99 [\d.]+ ms [\d.]+ ms [\d.]+×/)
  await page.keyboard.press('t')
  await until(page, 'document.querySelectorAll(".chart-table").length === 2')
  const heads = await page.locator('.chart-table').first().locator('thead th').allTextContents()
  assert.deepEqual(heads.slice(0, 2), ['Second', 'now p50'])
  await page.reload()
  await until(page, isDrawn('canvas[aria-label^="Distribution in both windows"]'))
  await page.getByLabel('Compare with').selectOption({ label: 'nothing' })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
})

test('a counter and a gauge are compared by their lines and numbers', { skip }, async (t) => {
  for (const series of ['checkout.requests', 'queue.depth{queue=email}']) {
    const { page } = await open(t, { path: `/series/${series}?before=60&window=30` })
    await until(page, isDrawn('canvas[aria-label*="now and 60"]'))
    await until(
      page,
      `/\\d/.test(document.querySelector('[aria-label="Numbers, table"] td.num')
      ?.innerText ?? '')`,
    )
    const names = await page
      .locator('[aria-label="Numbers, table"] tbody td:first-child')
      .allInnerTexts()
    assert.deepEqual(names, ['mean', 'lowest', 'highest'])
  }
})
