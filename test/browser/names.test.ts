/** Names and values at the edge: very long, blank, huge, below zero. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const LONG = 'k'.repeat(300)
const WIDE = 'document.documentElement.scrollWidth - innerWidth'

/** The elements that stand out at the right, for the message. */
const OUTSIDE = `[...document.querySelectorAll('main *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest('.scroll'))
  .map((each) => each.tagName + '.' + each.className).slice(0, 8).join(' ')`

async function assertNoSidewaysScrolling(page: Page, what: string): Promise<void> {
  if (Number(await page.evaluate(WIDE)) <= 0) return
  assert.fail(`${what} scrolls sideways: ${await page.evaluate(OUTSIDE)}`)
}

for (const width of [390, 1440]) {
  test(`a name of 300 letters scrolls nothing sideways at ${width} px`, { skip }, async (t) => {
    const { page, hub } = await open(t, { scene: 'empty', width })
    await page.getByText('Nothing has arrived yet').waitFor()
    const labels = { [`l${LONG}`]: LONG }
    hub.add(LONG, 'counter', labels, 40)
    hub.add(`${LONG}.h`, 'histogram', labels, 40)
    await page.locator('.cell').first().waitFor()
    await until(page, isDrawn('.cell canvas'))
    const origin = new URL(page.url()).origin
    for (const density of ['charts', 'lines', 'table']) {
      await page.goto(`${origin}/?density=${density}`)
      await page.locator('a.title').first().waitFor()
      await hub.ticks(1)
      await assertNoSidewaysScrolling(page, density)
    }
    for (const name of [LONG, `${LONG}.h`]) {
      await page.goto(`${origin}/series/${name}{l${LONG}=${LONG}}`)
      await page.locator('aside').waitFor()
      await hub.ticks(1)
      await assertNoSidewaysScrolling(page, 'the view of one series')
    }
    await page.goto(`${origin}/?q=${LONG}x`)
    await page.getByText('No series matches').waitFor()
    await assertNoSidewaysScrolling(page, 'a filter that nothing matches')
    await page.goto(`${origin}/sources`)
    await page.getByRole('heading', { name: 'Limits' }).waitFor()
    await assertNoSidewaysScrolling(page, 'sources')
  })
}

test('controls and turns of direction in names and labels are spelled out, and break no row', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty', width: 390 })
  await page.getByText('Nothing has arrived yet').waitFor()
  hub.add(
    'two\nlines.of\u202eit',
    'counter',
    { long: 'y'.repeat(4000), route: '/a\nb', user: '\u202etxt' },
    40,
  )
  hub.add('two\nlines.of', 'counter', { route: '/c' }, 40)
  await page.locator('.cell').first().waitFor()
  const origin = new URL(page.url()).origin
  const raw = '(document.body.innerHTML + document.title).match(/[\\u202e\\x00-\\x09\\x0b-\\x1f]/)'
  for (const density of ['charts', 'lines', 'table']) {
    await page.goto(`${origin}/?density=${density}`)
    await until(page, 'document.querySelectorAll("a.title").length === 2')
    assert.match(await textOf(page, 'a.title'), /two\\x0alines\.of/)
    assert.match(await textOf(page, 'main'), /user=\\u202etxt/)
    const heights = `[...document.querySelectorAll('a.title')].map((it) => it.scrollHeight)`
    assert.deepEqual(await page.evaluate(`${heights}.filter((height) => height > 26)`), [])
    assert.equal(await page.evaluate(raw), null, density)
  }
  await page.locator('a.title').nth(1).click()
  await page.locator('aside').waitFor()
  await hub.ticks(1)
  assert.match(await textOf(page, 'main'), /route\/a\\x0ab/)
  assert.equal(await page.evaluate(raw), null, 'one series')
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  assert.ok(height < 3500, `a label of 4,000 letters makes the page ${height} px high`)
})

test('a blank name is said to be blank, and huge values have a plain exponent', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty' })
  await page.getByText('Nothing has arrived yet').waitFor()
  hub.add(' ', 'gauge', {}, 1e82)
  await page.locator('.cell').first().waitFor()
  assert.equal(await textOf(page, '.group h2'), '(blank)')
  assert.equal(await textOf(page, 'a.title'), '(blank)')
  await until(page, '/^\\d\\.\\d\\de8\\d$/.test(document.querySelector(".cell .value").innerText)')
  await page.locator('a.title').click()
  await page.getByRole('heading', { level: 1, name: '(blank)' }).waitFor()
})

test('the table names sources by their titles', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?density=table&q=checkout.requests' })
  await page.locator('tbody a.title').first().waitFor()
  await until(page, '/Stats Hero/.test(document.querySelector("tbody tr:nth-child(2)").innerText)')
})

test('a distribution below zero has no false numbers, and its percentiles are drawn', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty' })
  await page.getByText('Nothing has arrived yet').waitFor()
  hub.add('drift', 'histogram', {}, 8, { isBelowZero: true, from: 0 })
  await page.locator('.cell').first().waitFor()
  await page.locator('a.title').click()
  await until(page, isDrawn('canvas.h216'))
  const fact = (name: string): string =>
    `[...document.querySelectorAll('[aria-label="Statistics"] dt')]
      .find((dt) => dt.innerText === '${name}')?.nextElementSibling.innerText`
  await until(page, `/^\u2212\\d/.test(${fact('min')})`)
  assert.match(String(await page.evaluate(fact('max'))), /^\u2212/)
  assert.equal(await page.evaluate(fact('p50')), '–')
  assert.match(await textOf(page, '[aria-label="Distribution over time"] .follows'), /below zero/)
})

test('a name of 4,000 letters has three lines until it is asked for', { skip }, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty', width: 390 })
  await page.getByText('Nothing has arrived yet').waitFor()
  const name = 'long.name_'.repeat(400)
  hub.add(name, 'gauge', {}, 40)
  await page.locator('.cell').first().waitFor()
  const title = page.locator('h1')
  const heightOf = async (what: string): Promise<number> =>
    (await page.locator(what).boundingBox())?.height ?? Number.NaN
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${new URL(page.url()).origin}/series/${name}`)
    await page.locator('aside').waitFor()
    assert.ok((await heightOf('main h1')) < 100, `h1 at ${width} px`)
    assert.ok((await heightOf('.crumbs')) < 70, `crumbs at ${width} px`)
    assert.equal(await title.getAttribute('title'), name)
  }
  await page.getByRole('button', { name: 'Whole name, 4\u202f000 letters' }).click()
  assert.ok((await heightOf('main h1')) > 200)
})

test('an address without labels offers the series of that name', { skip }, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty' })
  await page.getByText('Nothing has arrived yet').waitFor()
  hub.add('spike', 'gauge', { 'scope.source': 'a' }, 40)
  await page.locator('.cell').first().waitFor()
  await page.goto(`${new URL(page.url()).origin}/series/spike`)
  await page.getByText('With other labels there is one').waitFor()
  await page.getByRole('link', { name: 'spike{scope.source=a}' }).click()
  await page.locator('aside').waitFor()
  assert.match(decodeURIComponent(page.url()), /spike\{scope\.source=a\}$/)
})

test('typing in the filter, scrolled down, shows the top of what is found', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty', width: 1440 })
  await page.getByText('Nothing has arrived yet').waitFor()
  for (let i = 0; i < 90; i += 1) hub.add(`many.of${i}`, 'gauge', {}, 40)
  await until(page, 'document.querySelectorAll(".cell").length === 90')
  await page.evaluate('document.querySelector("#filter").focus({ preventScroll: true })')
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.keyboard.insertText('of')
  await until(page, 'location.search.includes("of")')
  const top = 'document.querySelector(".cell").getBoundingClientRect().top'
  await until(page, `${top} >= 0 && ${top} < innerHeight / 2`)
})
