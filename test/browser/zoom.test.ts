/** Zooming and panning in a browser: by pointer, by keys, by typing; the URL is the state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const SERIES = '/series/queue.depth{queue=email}'
const CHART = 'canvas[aria-label^="Value"]'
const VALUE = 'document.querySelector(".now .value")?.textContent'
const HAS_VALUE = `/\\d/.test(${VALUE})`
const query = (page: Page, name: string): string | null =>
  new URL(page.url()).searchParams.get(name)
const secondOf = (text: string | null): number => Date.parse(text ?? '') / 1000
const isState = (word: string): string =>
  `document.querySelector('.clock .state').innerText === '${word}'`

async function boxOf(page: Page, selector: string) {
  await until(page, isDrawn(selector))
  return (await page.locator(selector).first().boundingBox())!
}

/** Drags from one share of a chart's width to another. */
async function drag(page: Page, selector: string, from: number, to: number): Promise<void> {
  const box = await boxOf(page, selector)
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * from, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y)
  await page.mouse.move(box.x + box.width * to, y)
  await page.mouse.up()
}

test('dragging moves all charts through time, to the newest second again', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/?sort=name' })
  await page.locator('.cell').first().waitFor()
  const before = Date.now() / 1000
  await drag(page, '.cell canvas', 0.2, 0.6)
  await until(page, isState('Paused'))
  await eventually(() => query(page, 'at') !== null, 'the URL holds the picture')
  const at = secondOf(query(page, 'at'))
  // 40 % of the canvas, whose scale takes 48 px, are some 30 s of a minute.
  assert.ok(at < before - 18 && at > before - 45, `${before - at} s before`)
  await until(page, isDrawn('.cell canvas'))
  await drag(page, '.cell canvas', 0.1, 0.7)
  await eventually(() => secondOf(query(page, 'at')) < at - 20, 'further into the past')
  for (let turn = 0; turn < 4 && query(page, 'at') !== null; turn++) {
    await drag(page, '.cell canvas', 0.9, 0.05)
  }
  await eventually(() => query(page, 'at') === null, 'the picture moves again')
  await page.mouse.move(700, 20)
  await until(page, isState('Live'))
})

test('a moved picture shows the seconds of its own time', { skip }, async (t) => {
  const { page } = await open(t, { path: SERIES })
  await drag(page, CHART, 0.2, 0.6)
  await until(page, isState('Paused'))
  await page.mouse.move(700, 20)
  const shown = await page.evaluate(
    `new Date(${secondOf(query(page, 'at')) * 1000}).toTimeString().slice(0, 8)`,
  )
  // The state is there from the first step of the drag: the frame of its end comes later.
  await until(page, `document.querySelector('.clock .follows').innerText === '${shown}'`)
  await until(page, isDrawn(CHART))
  await until(page, HAS_VALUE)
  const held = await page.evaluate(VALUE)
  await page.reload()
  await until(page, `${VALUE} === ${JSON.stringify(held)}`)
})

test('the wheel with Ctrl zooms around the pointer; a double click goes back', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: SERIES })
  const box = await boxOf(page, CHART)
  await page.mouse.move(box.x + box.width / 2, box.y + 60)
  await until(page, isState('Cursor'))
  const instant = await textOf(page, '.clock .follows')
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -400)
  await page.keyboard.up('Control')
  await eventually(() => query(page, 'window') === '30', 'half of the window')
  assert.notEqual(query(page, 'at'), null)
  assert.equal(await textOf(page, '.clock .follows'), instant, 'the instant under the pointer')
  assert.equal(await page.locator('.other-window').inputValue(), '')
  await page.mouse.wheel(0, 400)
  assert.equal(query(page, 'window'), '30', 'without Ctrl the wheel scrolls')
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 60)
  await eventually(() => query(page, 'window') === null, 'the window from before')
  assert.equal(query(page, 'at'), null)
  await page.goBack()
  await eventually(() => query(page, 'window') === '30', 'one step back')
})

test('a part chosen with Shift fills the picture, and Escape chooses nothing', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: `${SERIES}?window=300` })
  const box = await boxOf(page, CHART)
  const y = box.y + 80
  await page.keyboard.down('Shift')
  await page.mouse.move(box.x + box.width * 0.3, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, y)
  await page.locator('.marquee').waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.marquee').count(), 0)
  await page.mouse.up()
  await page.keyboard.up('Shift')
  assert.equal(query(page, 'window'), '300')
  await page.keyboard.down('Shift')
  await drag(page, CHART, 0.3, 0.5)
  await page.keyboard.up('Shift')
  await eventually(() => query(page, 'at') !== null, 'a part of the past')
  const window = Number(query(page, 'window'))
  assert.ok(window >= 55 && window <= 80, `${window} s of 300`)
})

test('the keyboard zooms, pans and goes back', { skip }, async (t) => {
  const { page } = await open(t, { path: SERIES })
  await boxOf(page, CHART)
  await page.keyboard.press('+')
  await eventually(() => query(page, 'window') === '40', 'zoomed in')
  assert.equal(query(page, 'at'), null, 'at the newest second the picture moves on')
  await page.keyboard.press('Shift+ArrowLeft')
  await eventually(() => query(page, 'at') !== null, 'earlier')
  await page.keyboard.press('-')
  await eventually(() => query(page, 'window') === null, 'zoomed out')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await eventually(() => query(page, 'at') === null, 'later, to the newest second')
  await page.keyboard.press('5')
  await page.keyboard.press('+')
  await eventually(() => query(page, 'window') === '200', 'zoomed in from 5 min')
  await page.keyboard.press('0')
  await eventually(() => query(page, 'window') === '300', 'as before zooming')
})

test('any window can be typed, within what the hub keeps', { skip }, async (t) => {
  const { page } = await open(t, { path: SERIES })
  await boxOf(page, CHART)
  const field = page.getByRole('textbox', { name: 'Other window' })
  await field.fill('7 min 30 s')
  await field.press('Enter')
  await eventually(() => query(page, 'window') === '450', '450 s')
  assert.equal(await field.inputValue(), '7 min 30 s')
  await until(page, isDrawn(CHART))
  await field.fill('2 h')
  await field.press('Enter')
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  assert.match(await textOf(page, '[role=status]'), /write 5 s to 20 min/)
  assert.equal(query(page, 'window'), '450')
  await field.press('Escape')
  assert.equal(await field.inputValue(), '7 min 30 s')
  await page.getByRole('radio', { name: '30 s' }).click()
  assert.equal(query(page, 'window'), '30')
  assert.equal(await field.inputValue(), '')
})

test('Wallaroo’s charts are dragged, too, over more than the others keep', { skip }, async (t) => {
  const path = '/wallaroo/market-spread/Orders?window=1800'
  const { page, requests } = await open(t, { path })
  await boxOf(page, 'canvas[aria-label^="Messages per second"]')
  assert.ok(requests.some((request) => request.includes('seconds=1800')))
  await drag(page, 'canvas[aria-label^="Messages per second"]', 0.2, 0.5)
  await eventually(() => query(page, 'at') !== null, 'held')
  const to = `to=${secondOf(query(page, 'at')) * 1000}`
  await eventually(() => requests.some((each) => each.includes(to)), 'asked for that time')
})

test('a meter is a button: dragging on its line moves nothing', { skip }, async (t) => {
  const { page } = await open(t)
  await drag(page, '.meter canvas', 0.2, 0.8)
  assert.equal(query(page, 'at'), null)
})
