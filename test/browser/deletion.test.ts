/** A series is deleted where it is looked at, on the page of a real hub. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { packet } from '../support/hub/hub.ts'
import { type Served, skip, textOf, until, useBrowser } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()

/** A hub that has heard of two counters, once. */
async function serveTwo(webRoot: string): Promise<Served> {
  const hub = await serveHub(webRoot)
  const { host, port } = hub.text
  const sender = createSocket('udp4')
  sender.send(packet('mistaken:1234|m\nmeant:5|m\n'), port, host, () => sender.close())
  return hub
}

test('a series is deleted after it was asked for twice, and gone from overview and hub', {
  skip,
}, async (t) => {
  const { page, requests } = await open(t, { serve: serveTwo, path: '/series/mistaken' })
  const section = page.locator('[aria-label=Delete]')
  const first = section.getByRole('button', { name: 'Delete series' })
  // the second in which it came closes first: totals are told as of its end
  const total = /total\s*1.?234/
  await until(page, `${total}.test(document.querySelector('main').innerText)`)
  await first.click()
  const words = await textOf(page, '[aria-label=Delete] p')
  assert.match(
    words,
    /^The series goes, with its total of 1.?234, from memory and from all exports/,
  )
  assert.match(words, /A sender that goes on makes a new series/)

  await section.getByRole('button', { name: 'Keep it' }).click()
  await first.waitFor()
  const isFocused = 'document.activeElement?.textContent === "Delete series"'
  await until(page, isFocused)
  assert.equal(await names(), 2)

  // The hub is out of reach: that is said in the same place, and all is as it was.
  const isDeletion = (url: URL): boolean => url.search.startsWith('?series=')
  await page.route(isDeletion, (route) => route.abort())
  await page.keyboard.press('Enter')
  await section.getByRole('button', { name: 'Delete it' }).click()
  await section.getByText('The hub did not answer.').waitFor()
  await until(page, isFocused)
  await page.unroute(isDeletion)
  assert.equal(await names(), 2)

  await page.keyboard.press('Enter')
  await section.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('1 series deleted: mistaken').first().waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  await until(page, 'document.querySelector("main").innerText.includes("meant")')
  await until(page, '!document.querySelector("main").innerText.includes("mistaken")')
  assert.equal(await names(), 1)
  assert.equal(requests.filter((path) => /^\/api\/v1\/series\?series=\d+$/.test(path)).length, 2)

  await page.goBack()
  await page.getByText('No series has this name now.').waitFor()
  assert.equal(await page.locator('.banner').count(), 0, 'what was done is said once')

  async function names(): Promise<number> {
    const answer = await page.evaluate('fetch("/api/v1/series").then((r) => r.json())')
    const { series } = answer as { series: { dialect: string }[] }
    return series.filter(({ dialect }) => dialect !== 'hub').length
  }
})
