/** Code that comes when it is needed: what a page starts with, and a hub that does not send it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, skip, until, useBrowser } from './browser.ts'

const open = useBrowser()

test('the overview loads no code of the views of dialects, and dialogs before they are asked for', {
  skip,
}, async (t) => {
  const { page, requests } = await open(t)
  await page.locator('.cell').first().waitFor()
  await eventually(() => requests.some((path) => /\/help-/.test(path)), 'the help is fetched')
  await eventually(() => requests.some((path) => /\/jump-/.test(path)), 'the jump is fetched')
  assert.deepEqual(
    requests.filter((path) => /(scope|wallaroo)-page/.test(path)),
    [],
  )
  await page.getByRole('link', { name: 'Scope', exact: true }).click()
  await page.locator('.scope').waitFor()
  assert.equal(requests.filter((path) => /scope-page-.*\.js/.test(path)).length, 1)
})

test('a view that does not come says so, is asked for again, and is shown with its styles', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t)
  await page.locator('.cell').first().waitFor()
  const lost = /\/assets\/scope-page-/
  await page.route(lost, (route) => route.abort())
  hub.goAway()
  await page.locator('.banner.bad').waitFor()
  await page.getByRole('link', { name: 'Scope', exact: true }).click()
  const notice = page.getByRole('heading', { name: 'This view did not load' })
  await notice.waitFor()
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.locator('.cell').first().waitFor()
  await page.getByRole('link', { name: 'Scope', exact: true }).click()
  await notice.waitFor()
  await page.unroute(lost)
  hub.comeBack()
  // by itself, with the connection
  await page.locator('.scope').waitFor()
  assert.equal(await notice.count(), 0)
  await until(page, 'getComputedStyle(document.querySelector(".scope")).display === "flex"')
})

test('a dialog opens while the hub is away: its code was fetched before', { skip }, async (t) => {
  const { page, hub, requests } = await open(t)
  await eventually(() => requests.some((path) => /\/jump-/.test(path)), 'the jump is fetched')
  hub.goAway()
  await page.locator('.banner.bad').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
})

test('a dialog that did not come is said, and keys go on', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?q=api.requests' })
  await page.route(/\/assets\/(help|jump)-/, (route) => route.abort())
  await page.locator('.cell').first().waitFor()
  await page.keyboard.press('?')
  await page.locator('.banner', { hasText: 'did not send the code of this dialog' }).waitFor()
  await page.keyboard.press('p')
  await until(page, 'document.querySelector(".clock .state").innerText === "Paused"')
})
