/** Ten thousand series: what is there is bounded by what is on screen, and all can be reached. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, isDrawn, skip, textOf, until, untilDrawn, useBrowser } from './browser.ts'

const open = useBrowser()
const ELEMENTS = 'document.querySelectorAll("*").length'
/** At 1440 × 900 px some 100 lines are near the screen, of 20 elements each. */
const ELEMENTS_MOST = 2500
const END = 'scrollTo(0, document.documentElement.scrollHeight)'

for (const { density, box, canvas } of [
  { density: 'charts', box: '.cell', canvas: '.cell canvas' },
  { density: 'lines', box: 'article.line', canvas: '.line canvas' },
  { density: 'table', box: 'tbody tr[data-series]', canvas: 'td canvas' },
]) {
  test(`as ${density}, only series near the screen are there, and only they are asked for`, {
    skip,
  }, async (t) => {
    const { page, hub } = await open(t, { scene: 'many', path: `/?q=session&density=${density}` })
    await until(page, isDrawn(canvas))
    assert.match(await textOf(page, '.filters .count'), /^10 000 of 10 \d\d\d series$/)
    const first = new Set(hub.subscriptions.at(-1))
    for (const scroll of ['scrollTo(0, 20000)', END]) {
      await page.evaluate(scroll)
      await until(page, `document.querySelectorAll(${JSON.stringify(canvas)}).length > 10`)
      const count = (await page.evaluate(ELEMENTS)) as number
      assert.ok(count < ELEMENTS_MOST, `${count} elements after ${scroll}`)
    }
    const last = `[...document.querySelectorAll('${box}')].at(-1)`
    // what was there before is above the screen for a moment
    const rect = `${last}.getBoundingClientRect()`
    await until(page, `${rect}.top > 0 && ${rect}.bottom < innerHeight`)
    await until(page, `/\\d/.test(${last}.querySelector('.value, .num').innerText)`)
    const attribute = `(name) => ${last}.getAttribute('aria-' + name)`
    const [position, size, row] = (await page.evaluate(
      `['posinset', 'setsize', 'rowindex'].map(${attribute})`,
    )) as (string | null)[]
    if (density === 'table') {
      const rows = await page.evaluate(`document.querySelector('table').ariaRowCount`)
      // Its heads, and the heading of its group.
      assert.deepEqual([row, rows], ['10002', '10002'])
    } else assert.deepEqual([position, size], ['10000', '10000'])
    const latest = (): readonly number[] => hub.subscriptions.at(-1) ?? []
    await eventually(
      () => latest().length > 4 && latest().length < 150 && !latest().some((id) => first.has(id)),
      'what is near is subscribed, and nothing else',
    )
  })
}

for (const { density, box } of [
  { density: 'charts', box: '.cell' },
  { density: 'lines', box: 'article.line' },
  { density: 'table', box: 'tbody tr[data-series]' },
]) {
  test(`as ${density}, what is scrolled into view is drawn by then, and stays what it was`, {
    skip,
  }, async (t) => {
    const { page } = await open(t, { scene: 'many', path: `/?q=session&density=${density}` })
    await until(page, isDrawn(`${box} canvas`))
    const below = `[...document.querySelectorAll('${box}')]
      .find((it) => it.getBoundingClientRect().top > innerHeight + 20)`
    await page.evaluate(`globalThis.below = ${below}; below.id = 'below'`)
    await until(page, isDrawn('#below canvas'))
    assert.ok(await page.evaluate('below.getBoundingClientRect().top > innerHeight'))
    for (let y = 100; y <= 600; y += 100) {
      await page.evaluate(`scrollTo(0, ${y})`)
      await untilDrawn(page)
    }
    assert.ok(await page.evaluate('below.isConnected && below.getBoundingClientRect().top > 0'))
  })
}

test('the keyboard goes through all series, also from one that was scrolled away', {
  skip,
}, async (t) => {
  const { page } = await open(t, { scene: 'many', path: '/?q=session&sort=name&density=lines' })
  await until(page, isDrawn('.line canvas'))
  const isAt = (place: number): string =>
    `document.activeElement.closest('article')?.ariaPosInSet === '${place}'`
  for (let place = 1; place <= 60; place += 1) {
    await page.keyboard.press('j')
    await until(page, isAt(place))
  }
  await page.evaluate(END)
  await until(page, `[...document.querySelectorAll('article')].at(-1).ariaPosInSet === '10000'`)
  assert.ok(await page.evaluate(isAt(60)), 'what has the focus stays')
  await page.keyboard.press('k')
  await until(page, isAt(59))
  await until(page, 'document.activeElement.getBoundingClientRect().top > 0')
  assert.ok(((await page.evaluate(ELEMENTS)) as number) < ELEMENTS_MOST)
})

test('an address with a group leads to it, and so does the index', { skip }, async (t) => {
  const { page } = await open(t, {
    ...{ scene: 'many', path: '/?q=session&group=label:shard#group-5' },
  })
  const top = (group: string): string =>
    `Math.round(document.getElementById('${group}').getBoundingClientRect().top)`
  await until(page, `!!document.getElementById('group-5') && ${top('group-5')} === 96`)
  await page.locator('.index a', { hasText: /^2/ }).click()
  await until(page, `!!document.getElementById('group-2') && ${top('group-2')} === 96`)
  assert.equal(
    new URL(page.url()).hash,
    '#group-5',
    'a click in the index leaves the address alone',
  )
})

test('of ten thousand groups only those near the screen are there', { skip }, async (t) => {
  const { page } = await open(t, {
    ...{ scene: 'many', path: '/?q=session&group=label:user' },
  })
  await until(page, isDrawn('.cell canvas'))
  const count = (await page.evaluate(ELEMENTS)) as number
  assert.ok(count < ELEMENTS_MOST, `${count} elements`)
  await page.evaluate(`document.querySelector('.index').scrollTo(0, 1e6)`)
  await until(
    page,
    `(({ ariaPosInSet, ariaSetSize }) => ariaPosInSet === ariaSetSize)(
      [...document.querySelectorAll('.index li')].at(-1))`,
  )
  await page.locator('.index a').last().click()
  await until(page, 'scrollY > document.documentElement.scrollHeight - 2 * innerHeight')
})
