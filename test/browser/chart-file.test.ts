/** What charts become: tables, files of numbers, pictures; by pointer and by keyboard. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseCsv } from '../support/csv.ts'
import { isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const SERIES = '/series/checkout.latency{route=/pay}'
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

/** Chooses an item of the menu of a panel. @returns name and content of the file */
async function saved(page: Page, panel: string, item: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('region', { name: panel }).locator('.more').click()
      await page.getByRole('menuitem', { name: item }).click()
    })(),
  ])
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
}

test('T shows the table of every chart, and the link says so', { skip }, async (t) => {
  const { page } = await open(t, { path: `${SERIES}?window=120` })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  await page.keyboard.press('t')
  await until(page, 'document.querySelectorAll(".chart-table").length === 3')
  assert.equal(new URL(page.url()).searchParams.get('tables'), '1')
  const percentiles = page.getByRole('region', { name: /^Percentiles of .*, table/ })
  assert.equal(await percentiles.locator('table').getAttribute('aria-rowcount'), '121')
  const rows = await percentiles.locator('tbody tr').count()
  assert.ok(rows < 30, `${rows} rows are made`)
  // All of them are there for those who scroll, by keyboard too.
  await percentiles.focus()
  await page.keyboard.press('End')
  await until(
    page,
    `[...document.querySelectorAll('.chart-table tr')]
    .some((row) => row.ariaRowIndex === '121')`,
  )
  await page.keyboard.press('t')
  assert.equal(await page.locator('.chart-table').count(), 0)
  await page.getByRole('button', { name: 'Charts as tables' }).click()
  await page.locator('.chart-table').first().waitFor()
})

test('a held chart is saved as numbers with all digits, and as a picture', {
  skip,
}, async (t) => {
  const at = Math.floor(Date.now() / 1000) - 20
  const when = new Date(at * 1000).toISOString()
  const { page } = await open(t, { path: `${SERIES}?window=30&at=${when}` })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  await until(page, '/\\d/.test(document.querySelector(".now .value").innerText)')
  const numbers = await saved(page, 'Percentiles', 'Save numbers')
  assert.equal(numbers.name, 'Percentiles-of-checkout.latency-route-pay.csv')
  const [heads, ...rows] = parseCsv(numbers.content.toString())
  assert.deepEqual(heads, ['time', 'p50_ms', 'p90_ms', 'p99_ms'])
  assert.equal(rows.length, 30)
  assert.equal(Date.parse(rows.at(-1)![0]!), at * 1000)
  assert.ok(rows.every(([, p50, , p99]) => Number(p99) > Number(p50)))
  assert.ok(
    rows.some(([, , , p99]) => p99!.length > 12),
    'all digits',
  )
  const heat = await saved(page, 'Distribution over time', 'Save numbers')
  const buckets = parseCsv(heat.content.toString())
  assert.deepEqual(buckets[0], ['time', 'above_ms', 'up_to_ms', 'count', 'share_percent'])
  assert.ok(buckets.length > 100)
  const picture = await saved(page, 'Percentiles', 'Save as picture')
  assert.equal(picture.name, 'Percentiles-of-checkout.latency-route-pay.png')
  assert.deepEqual(picture.content.subarray(0, 4), PNG)
  const [width, height] = [picture.content.readUInt32BE(16), picture.content.readUInt32BE(20)]
  assert.ok(width >= 1280 && height === 2 * (216 + 76), `${width} × ${height}`)
  assert.match(await textOf(page, '[role=status]'), /^Saved Percentiles/)
})

test('the keyboard alone opens a menu, walks through it, and comes back', { skip }, async (t) => {
  const { page } = await open(t, { path: SERIES })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  const more = page.getByRole('region', { name: 'Percentiles' }).locator('.more')
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  const active = (): Promise<unknown> => page.evaluate('document.activeElement.innerText')
  await until(page, 'document.activeElement.role === "menuitem"')
  assert.match(String(await active()), /^Charts with tables/)
  await page.keyboard.press('ArrowUp')
  assert.match(String(await active()), /CSV/)
  await page.keyboard.press('p')
  assert.equal(new URL(page.url()).searchParams.get('at'), null, 'keys of the page are silent')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await until(page, 'document.activeElement.matches(".more")')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('.chart-table').first().waitFor()
})

test('a menu opened at the very moment it is closed is open', { skip }, async (t) => {
  const { page } = await open(t, { path: SERIES })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  const more = page.getByRole('region', { name: 'Percentiles' }).locator('.more')
  await more.click()
  await page.getByRole('menu').waitFor()
  // Both before the browser says that the list is hidden, which it does in a task of its own.
  await page.evaluate(`{
    const menu = document.querySelector('.menu')
    const button = document.querySelector('[aria-controls="' + menu.id + '"]')
    menu.hidePopover()
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))
  }`)
  await until(page, 'document.activeElement.role === "menuitem"')
  await page.getByRole('menu').waitFor()
  await more.click({ force: true })
  await page.locator('.menu').waitFor({ state: 'detached' })
})

test('charts of the overview are saved, too, and opened with their tables', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/?q=queue.depth' })
  await until(page, isDrawn('.cell canvas'))
  const cell = page.locator('.cell', { hasText: 'queue=invoice' })
  await cell.hover()
  await cell.locator('.more').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save numbers' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'queue.depth-queue-invoice.csv')
  const rows = parseCsv(readFileSync(await download.path(), 'utf8'))
  assert.deepEqual(rows[0]?.slice(0, 2), ['time', 'value'])
  assert.equal(rows.length, 61)
  await cell.hover()
  await cell.locator('.more').click()
  await page.getByRole('menuitem', { name: 'Open with tables' }).click()
  await page.locator('.chart-table').first().waitFor()
  assert.match(page.url(), /invoice.*tables=1/)
})

test('Wallaroo’s bars are a table, and a file with exact bounds', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo/market-spread/Orders?tables=1' })
  await page.locator('.chart-table').first().waitFor()
  assert.equal(await page.locator('.chart-table').count(), 3)
  const { content } = await saved(page, 'Per cent by latency bin', 'Save numbers')
  const [heads, first] = parseCsv(content.toString())
  assert.deepEqual(heads, ['bin', 'above_ns', 'up_to_ns', 'messages', 'share_percent'])
  assert.equal(2 ** Number(first?.[0]), Number(first?.[2]))
})

test('a peak between two ticks is in the numbers, and in the chart', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/motor1.current{plot=current}' })
  await until(page, isDrawn('canvas[aria-label^="Value"]'))
  await until(page, '/\\d/.test(document.querySelector(".now .value").innerText)')
  const { content } = await saved(page, 'Value', 'Save numbers')
  const [heads, ...rows] = parseCsv(content.toString())
  assert.deepEqual(heads, ['time', 'value_A', 'min_A', 'max_A'])
  const peaks = rows.filter(([, value, , max]) => Number(max) > 2.5 * Number(value))
  assert.equal(peaks.length, 6)
  const most = Math.max(...rows.map(([, , , max]) => Number(max)))
  const highest = await textOf(page, '.now div:nth-child(3) .value')
  assert.equal(highest, `${most.toPrecision(3)} A`)
})
