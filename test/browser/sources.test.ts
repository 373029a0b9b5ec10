/** The sources page: ingest threads and the shared memory, of an invented hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()

test('each ingest thread has a row with its rate, and restarts are marked', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const rows = page.locator('[aria-label="Ingest threads"] tbody tr')
  await rows.first().waitFor()
  assert.equal(await rows.count(), 4)
  const words = await textOf(page, '[aria-label="Ingest threads"] tbody tr')
  assert.match(words, /^ingest 0Runsmany per system call2[\d.]+ k\/s[\d ]+30$/)
  assert.equal(await rows.locator('.error').allTextContents().then(String), '1')
})

test('a listener that dialects share has the rate of what comes there alone', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const at = (port: string): string => `[aria-label="Listeners, table"] tr:has-text("${port}")`
  await until(page, `document.querySelectorAll('td .rate .unit')[1]?.innerText.includes('/s')`)
  assert.match(await textOf(page, `${at('5001')} .rate`), /^Wallaroo ?[\d.]+ k?\/s$/)
  assert.match(await textOf(page, `${at('8125')} .rate`), /^[\d.]+ k?\/s$/)
  assert.equal(await page.locator(`${at('5001')} canvas`).count(), 1)
})

test('the shared memory says what it is used for and what was refused', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const rows = page.locator('[aria-label="Shared memory"] tbody tr')
  await rows.first().waitFor()
  const lines = (await rows.allTextContents()).map((line) => line.replace(/[\u00a0\u202f]/g, ' '))
  assert.match(lines[0]!, /^In use4\.06 MiB of 256 MiBtotals 3\.25 MiB, index 256 KiB, names/)
  assert.match(
    lines.find((line) => line.startsWith('Refused'))!,
    /^Refused22 known as another type/,
  )
  assert.match(lines.find((line) => line.startsWith('Threads lost'))!, /^Threads lost1What they/)
  assert.equal(lines.filter((line) => line.startsWith('Charged')).length, 0)
})

test('a hub that takes text in its main thread shows no threads', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources', scene: 'empty' })
  await page.locator('[aria-label=Listeners] tbody tr').first().waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Ingest threads' }).count(), 0)
  assert.equal(await page.getByRole('heading', { name: 'Shared memory' }).count(), 0)
})

test('an export that fails says why and what goes on; without any there is none', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const words = await textOf(page, '[aria-label="Exports, table"] tbody tr')
  assert.match(words, /^otlp http:.*Fails ECONNREFUSED; is the receiver .*\? Totals go on: /)
  assert.match(words, /10\.0\ss5\smin ago8\s4121203$/)
  const { page: other } = await open(t, { path: '/sources', scene: 'empty' })
  await other.locator('[aria-label="Listeners, table"] tbody tr').first().waitFor()
  assert.equal(await other.getByRole('heading', { name: 'Exports' }).count(), 0)
})

test('bytes of no dialect say what they look like, and what the port takes', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const message = page.locator('.message', { hasText: 'unclaimed' })
  const words = await message.innerText()
  assert.match(words, /^No dialect\s+unclaimed\s+2×/)
  assert.match(
    words,
    /First bytes: Of no dialect that listens here \(Wallaroo, Scope\)\. This looks/,
  )
  assert.match(words, /looks like SSH, which this version does not speak\./)
  assert.match(words, /That port takes Wallaroo, Scope, for example:\s+machida --appl/)
  const row = await textOf(page, '[aria-label="Listeners, table"] tr:has-text("5001")')
  assert.match(row, /Open 2 messages of no dialect/)
})

test('limits name their options, and fit beside the rest at 1280 px', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources', width: 1280 })
  const table = page.locator('[aria-label="Limits, table"]')
  const row = table.locator('tr', { hasText: 'Windows of Wallaroo' })
  const words = await row.innerText()
  assert.match(words, /wallaroo\.windowBytesLimit/)
  assert.match(words, /12 windows left early/)
  assert.ok(await table.evaluate((each) => each.scrollWidth <= each.clientWidth))
})
