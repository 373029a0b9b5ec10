/** Wallaroo's views: what the reader chooses is in the URL, and what is shown leaves the page. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ApplicationAnswer, ViewAnswer } from '../../src/dialects/wallaroo/http/api.ts'
import { parseCsv } from '../support/csv.ts'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const APPLICATION = '/wallaroo/market-spread'
const SLOW = `${APPLICATION}/Orders/worker2/Check%20Order`

function queryOf(page: Page): string {
  return new URL(page.url()).search
}

async function firstComputation(page: Page): Promise<string> {
  return textOf(page, '.matrix tbody tr .what a')
}

test('the order of rows is in the URL, and back undoes it', { skip }, async (t) => {
  const { page } = await open(t, { path: APPLICATION })
  await page.locator('.matrix .what').first().waitFor()
  const first = await firstComputation(page)
  assert.notEqual(first, 'Check Order')
  await page.locator('th .order').first().click()
  await eventually(() => queryOf(page) === '?order=p99', 'the order by p99')
  assert.equal(await firstComputation(page), 'Check Order')
  const heads = page.locator('th[aria-sort="descending"]')
  assert.equal(await heads.first().innerText(), 'p99')
  await page.goBack()
  await eventually(() => queryOf(page) === '', 'back')
  await until(page, 'document.querySelectorAll("th[aria-sort]").length === 0')
  assert.equal(await firstComputation(page), first)
})

test('with a limit of the reader’s own, what is above it is amber', { skip }, async (t) => {
  const { page } = await open(t, { path: `${APPLICATION}?above=50us` })
  await page.locator('.verdict').waitFor()
  assert.match(
    await textOf(page, '.verdict'),
    /^Check Order on worker2 is above 50\.0 µs: p99 [\d.]+ ms\. So are \d+ more of 12\.$/,
  )
  const slow = await page.locator('.matrix .slow-cell').count()
  assert.ok(slow > 1 && slow < 12, `${slow} cells`)
  await page.getByLabel('Slow', { exact: true }).selectOption('1s')
  await eventually(() => queryOf(page) === '?above=1s', 'the limit')
  await page.getByText('No computation has a p99 above 1.00\u00a0s').waitFor()
  assert.equal(await page.locator('.matrix .slow-cell').count(), 0)
  await page.reload()
  await page.getByText('No computation has a p99 above 1.00\u00a0s').waitFor()
})

test('the original’s numbers are labelled as such, and a click leads back', { skip }, async (t) => {
  const { page } = await open(t, { path: SLOW })
  await page.getByRole('button', { name: 'Metrics UI' }).click()
  await page.getByText('Metrics UI compatible').waitFor()
  assert.equal(queryOf(page), '?mode=compatible')
  const row = await textOf(page, '[aria-label="Stats, table"] tbody tr')
  assert.equal(row, '≤ 32 μs≤ 66 μs≤ 16 ms> 1 s> 1 s0.48k0.5k12k')
  await until(page, isDrawn('canvas[aria-label^="Percent by"]'))
  await until(page, isDrawn('canvas[aria-label^="Throughput of"]'))
  assert.equal(await page.locator('.figure').count(), 0, 'no number of the exact mode')
  await page.goBack()
  await page.locator('.figure').first().waitFor()
  await page.goForward()
  await page.getByText('Metrics UI compatible').waitFor()
  await page.getByRole('button', { name: 'Exact' }).click()
  await page.locator('.figure').first().waitFor()
  assert.equal(queryOf(page), '')
})

test('the original’s tables lead down, from the application to a crossing', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: `${APPLICATION}?mode=compatible` })
  const pipelines = page.locator('[aria-label="Pipeline Stats, table"] tbody tr')
  await pipelines.first().waitFor()
  assert.match(await pipelines.first().innerText(), /^Orders\s+≤ 32 μs\s.*0\.48k -\|< 0\.48k/s)
  await page.locator('[aria-label="Computation Stats, table"]').getByText('Check Order').click()
  await page.locator('[aria-label="On each worker, table"]').getByText('worker2').click()
  await eventually(() => page.url().includes('/worker2/Check%20Order?mode=compatible'), 'down')
  await page.locator('[aria-label="Stats, table"] tbody tr').waitFor()
})

test('the bin under the pointer says its range, count and share', { skip }, async (t) => {
  const { page } = await open(t, { path: SLOW })
  const bars = page.locator('canvas[aria-label^="Per cent by"]')
  await until(page, isDrawn('canvas[aria-label^="Per cent by"]'))
  const box = (await bars.boundingBox())!
  await bars.hover({ position: { x: box.width - 8, y: box.height - 40 } })
  const note = page.getByRole('region', { name: 'Per cent by latency bin' }).locator('header')
  await note.getByText('above').waitFor()
  const words = (await note.innerText()).replace(/[\u00a0\u202f]/g, ' ')
  assert.match(words, /bin 24, above 8 388 608 to 16 777 216 ns: [\d ]+ messages, [\d.]+ %/)
  await page.mouse.move(0, 0)
  await note.getByText('square-root axis').waitFor()
})

test('what is known exactly and what is estimated is said', { skip }, async (t) => {
  const { page } = await open(t, { path: SLOW })
  await page.locator('.fact-line').waitFor()
  const facts = await textOf(page, '.fact-line')
  assert.match(facts, /Window60 s.*Messages[\d ]+.*Min–Max–Mean, estimated[\d.]+ µs/)
  assert.match(facts, /In flight, estimated[\d.]+Since the start[\d ]+/)
})

test('bins, seconds and rows leave as CSV, all of it as JSON', { skip }, async (t) => {
  const { page, hub } = await open(t, { path: SLOW })
  await page.locator('.exports').waitFor()
  const saved = async (name: string): Promise<string[][]> => {
    const started = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    const download = await started
    assert.match(download.suggestedFilename(), /^Check-Order-(bins|seconds|rows)\.csv$/)
    return parseCsv(await readFile(await download.path(), 'utf8'))
  }
  const bins = await saved('Bins as CSV')
  assert.deepEqual(bins[0], ['bin', 'above_ns', 'up_to_ns', 'messages', 'percent'])
  assert.deepEqual(bins.at(-1)?.slice(0, 3), ['24', '8388608', '16777216'])
  assert.equal((await saved('Seconds as CSV')).length, 61)
  const rows = await saved('Rows as CSV')
  assert.deepEqual(rows[1]?.slice(0, 5), [
    ...['market-spread', 'computation', 'Orders', 'worker2', 'Check Order'],
  ])
  const link = page.getByRole('link', { name: 'All of it as JSON' })
  const answer = await fetch(hub.url + (await link.getAttribute('href')))
  assert.equal(((await answer.json()) as ViewAnswer).application, 'market-spread')
})

test('J, K and Enter walk over the rows', { skip }, async (t) => {
  const { page } = await open(t, { path: APPLICATION })
  await page.locator('.verdict').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await eventually(() => page.url().includes('/worker2/'), 'the slow one')
  await page.locator('.figure').first().waitFor()
  await page.keyboard.press('u')
  await eventually(() => page.url().endsWith('/Orders/worker2'), 'up')
})

test('an answer that is not complete says since when it is', { skip }, async (t) => {
  const { page } = await open(t, { path: '/wallaroo' })
  const at = new Date(2026, 5, 11, 14, 3, 8)
  await page.route('**/api/v1/wallaroo/application?*', async (route) => {
    const answer = (await (await route.fetch()).json()) as ApplicationAnswer
    const nowMs = at.getTime() + 60_000
    const missing = { completeFromMs: at.getTime(), missingFor: 'retention' }
    await route.fulfill({ json: { ...answer, nowMs, ...missing } })
  })
  await page.goto(new URL(APPLICATION, page.url()).href)
  await page.getByText('Complete since 14:03:08').waitFor()
  const remarks = await page.locator('.remarks').innerText()
  assert.match(remarks, /older windows were past their time.*wallaroo\.retentionMs/)
  assert.match(remarks, /Clocks disagree: worker3 clock off by 2\u00a0min, behind/)
  assert.match(remarks, /Disconnected: worker3/)
})

test('under the cursor its second is told, and what is of the window stays so', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: `${APPLICATION}/Orders/worker2/Check%20Order` })
  await until(page, isDrawn('canvas[aria-label^="Messages per second"]'))
  const facts = page.locator('.fact-line')
  assert.match(await facts.innerText(), /^Window/)
  await page.keyboard.press('ArrowLeft')
  await page
    .getByText(/^At \d\d:\d\d:\d\d$/)
    .first()
    .waitFor()
  assert.match(await facts.innerText(), /^At [\d:]+\s+\d+\s\/s\s+Window\s+60\ss\s+Messages/)
})

test('an answer that can’t be read is asked for again', { skip }, async (t) => {
  const { page } = await open(t, { path: APPLICATION })
  await page.route('**/api/v1/wallaroo/view?*', (route) =>
    route.fulfill({ status: 200, body: 'this is no JSON' }),
  )
  await page.locator('.matrix .what a').first().click()
  await eventually(() => page.url().includes('/-/'), 'the place')
  assert.equal(await page.locator('.figure').count(), 0)
  await page.unroute('**/api/v1/wallaroo/view?*')
  await page.locator('.figure').first().waitFor()
})
