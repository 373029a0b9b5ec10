/** Windows of hours and days of a real hub with a history: one picture from then to now. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseCsv } from '../support/csv.ts'
import { queueOf, requestsOf, writePast } from '../support/hub-past.ts'
import { eventually, isDrawn, skip, until, useBrowser, type Visit } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()
const DAY_S = 86_400
const RATE = 'canvas[aria-label^="Rate of"]'
const VALUE = 'canvas[aria-label^="Value of"]'

const query = (page: Page, name: string): string | null =>
  new URL(page.url()).searchParams.get(name)

const nowS = Math.floor(Date.now() / 60_000) * 60
/** Stretch in which no hub ran, Unix seconds. */
const gap = [nowS - 28 * 3600, nowS - 26 * 3600] as const
/** End of the last cell of a worker that is no more. */
const diedS = nowS - 20 * 3600
const folder = mkdtempSync(join(tmpdir(), 'pentameter-past-'))

before(async () => {
  if (skip !== false) return
  const fromS = nowS - 32 * 3600
  await writePast({ folder: join(folder, 'history'), fromS, toS: nowS, gaps: [gap], diedS })
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** Opens a page of a hub with 32 hours of minutes, but for two of yesterday. */
function openPast(t: TestContext, path: string): Promise<Visit> {
  const config = { history: { path: join(folder, 'history') } }
  return open(t, { path, serve: (page) => serveHub(page, { config }) })
}

/** Saves the numbers of a chart. @returns rows behind the heads */
async function numbersOf(page: Page, title: string): Promise<string[][]> {
  await page.locator('section', { hasText: title }).first().locator('.more').first().click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save numbers' }).click(),
  ])
  return parseCsv(readFileSync(await download.path(), 'utf8')).slice(1)
}

test('a day is drawn from history to now, and its file has the minutes that were written', {
  skip,
}, async (t) => {
  const { page, requests } = await openPast(t, '/series/shop.requests')
  await page.getByRole('radio', { name: '24 h' }).click()
  await until(page, isDrawn(RATE))
  assert.equal(query(page, 'window'), String(DAY_S))
  await eventually(() => requests.some((path) => /range.*step=120$/.test(path)), 'steps are read')
  await page.keyboard.press('p')
  await eventually(() => query(page, 'at') !== null, 'it stands still')
  await until(page, isDrawn(RATE))
  const rows = await numbersOf(page, 'Rate')
  const known = rows.filter(([time]) => Date.parse(time!) / 1000 <= nowS)
  for (const [time, rate] of known.slice(1)) {
    const endS = Date.parse(time!) / 1000
    const wanted = (requestsOf(endS) + requestsOf(endS - 60)) / 120
    assert.ok(Math.abs(Number(rate) - wanted) < 1e-6, `${time}: ${rate}, wanted ${wanted}`)
  }
  assert.ok(known.length >= 715 && rows.length <= 720, `${known.length} of ${rows.length}`)
})

test('a link to a time shows the same picture, asks for it once and stands still', {
  skip,
}, async (t) => {
  const at = new Date((nowS - 25 * 3600) * 1000).toISOString()
  const { page, requests } = await openPast(t, `/series/shop.queue?window=21600&at=${at}`)
  await until(page, isDrawn(VALUE))
  const rows = await numbersOf(page, 'Value')
  assert.equal(rows.length, 720)
  const [gapFrom, gapTo] = gap
  for (const [time, value] of rows) {
    const endS = Date.parse(time!) / 1000
    // a value is held for five minutes, but by no hub that does not run
    if (endS > gapFrom + 30 && endS < gapTo) assert.equal(value, '', `${time} is in the gap`)
    const isTold = endS % 60 === 0 && (endS <= gapFrom || endS > gapTo + 60)
    if (isTold) assert.equal(Number(value), queueOf(endS), `at ${time}`)
  }
  const asked = requests.filter((path) => path.includes('/range?')).length
  await new Promise((resolve) => setTimeout(resolve, 3000))
  assert.equal(requests.filter((path) => path.includes('/range?')).length, asked)
  await page.reload()
  await until(page, isDrawn(VALUE))
  assert.deepEqual(await numbersOf(page, 'Value'), rows)
})

test('a series is compared with the same time yesterday', { skip }, async (t) => {
  const { page } = await openPast(t, '/series/shop.latency?window=3600')
  await page.getByLabel('Compare with').selectOption({ label: 'same time yesterday' })
  await eventually(() => query(page, 'before') === String(DAY_S), 'in the link')
  await until(page, isDrawn('canvas[aria-label^="Distribution in both windows"]'))
  // sixty minutes of yesterday with twenty observations each, and as many of today, or one less
  await until(
    page,
    `/observations\\s+1\\.[12][08].k\\s+1\\.20.k/.test(
      document.querySelector('[aria-label="Numbers, table"]')?.innerText ?? '')`,
  )
})

test('a worker that died is in the list of its time, and in no other', { skip }, async (t) => {
  const at = new Date((diedS + 1800) * 1000).toISOString()
  const { page } = await openPast(t, '/')
  const cell = page.locator('article', { hasText: 'jobs' })
  await page.locator('article', { hasText: 'requests' }).waitFor()
  assert.equal(await cell.count(), 0)
  const url = new URL(page.url())
  await page.goto(`${url.origin}/?window=21600&at=${at}`)
  await cell.waitFor()
  await until(page, `/\\d\\d:\\d\\d to .*\\d\\d:\\d\\d/.test(${subOf('jobs')})`)
  await cell.locator('a').first().click()
  await until(page, isDrawn(RATE))
  await page.getByText('no more:').waitFor()
  assert.equal(await page.getByText('Delete series').count(), 0)
  const rows = await numbersOf(page, 'Rate')
  for (const [time, rate] of rows) {
    if (Date.parse(time!) / 1000 > diedS + 60) assert.equal(rate, '', time!)
  }
  const sum = rows.reduce((all, [, rate]) => all + 30 * Number(rate), 0)
  assert.ok(Math.abs(sum - 120 * 120) < 1e-6, `${sum} jobs`)
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await cell.waitFor()
  await page.keyboard.press('0')
  await cell.waitFor({ state: 'detached' })
})

/** Gives the script that reads the quiet line of a series in the overview. */
function subOf(name: string): string {
  const cells = `[...document.querySelectorAll('article')]`
  const cell = `${cells}.find((each) => each.textContent.includes('${name}'))`
  return `${cell}?.querySelector('.sub')?.textContent`
}
