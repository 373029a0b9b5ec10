/** The overview in a browser: charts without set-up, filter, cursor, pause, densities. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const CELLS = 'document.querySelectorAll(".groups article").length'
const hasValue = (selector: string): string =>
  `/\\d/.test(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`

test('a chart appears by itself when a series arrives', { skip }, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty' })
  await page.getByText('Nothing has arrived yet').waitFor()
  hub.add('demo.requests', 'counter', { path: '/' }, 40)
  await page.locator('.cell', { hasText: 'requests' }).waitFor()
  await until(page, hasValue('.cell .value'))
  await until(page, isDrawn('.cell canvas'))
  assert.equal(await textOf(page, '.cell .labels'), 'path=/')
  assert.equal(await page.getByText('Nothing has arrived yet').count(), 0)
})

test('every kind has its own picture and its own reading', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?q=checkout.latency' })
  await until(page, hasValue('.cell .value'))
  assert.match(await textOf(page, '.cell .value'), /^p99/)
  assert.match(await textOf(page, '.cell .labels'), /^route=/)
  await page.goto(`${new URL(page.url()).origin}/?q=checkout.requests`)
  await until(page, '/total/.test(document.querySelector(".cell .sub")?.innerText ?? "")')
  assert.match(await textOf(page, '.cell .value'), /^\d[\d.]* k?\/s$/)
})

test('what is unusual comes first, with factor and time', { skip }, async (t) => {
  const { page } = await open(t)
  const unusual = page.locator('#unusual')
  await unusual.waitFor()
  await until(
    page,
    '/×\\ssince\\s\\d\\d:\\d\\d:\\d\\d/.test(document.querySelector("#unusual")?.textContent)',
  )
  await page.locator('.index .dot.unusual').first().waitFor()
})

test('the hub’s own series are left out until they are asked for', { skip }, async (t) => {
  const { page } = await open(t)
  await until(page, `${CELLS} > 20`)
  assert.equal(await page.locator('article', { hasText: 'pentameter.' }).count(), 0)
  await page.locator('#filter').fill('dialect=hub')
  await page.locator('article', { hasText: 'decode_errors' }).waitFor()
})

test('filtering narrows the list, stands in the URL, and is undone by a click', {
  skip,
}, async (t) => {
  const { page } = await open(t)
  await until(page, `${CELLS} > 20`)
  await page.locator('#filter').fill('queue=email')
  await until(page, '/^2 of/.test(document.querySelector(".filters .count").innerText)')
  assert.equal(new URL(page.url()).searchParams.get('q'), 'queue=email')
  await page.locator('#filter').fill('nothing like it')
  await page.getByText('No series matches “nothing like it”.').waitFor()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await until(page, `${CELLS} > 20`)
  assert.equal(await page.locator('#filter').inputValue(), '')
})

test('a word typed quickly stands in the filter letter by letter', { skip }, async (t) => {
  const { page } = await open(t)
  await until(page, `${CELLS} > 20`)
  for (const word of ['requestTime', 'queue=email', 'checkout.latency']) {
    await page.keyboard.press('/')
    await page.keyboard.type(word)
    assert.equal(await page.locator('#filter').inputValue(), word)
    await until(page, `new URL(location.href).searchParams.get('q') === '${word}'`)
    await page.evaluate('new Promise((done) => setTimeout(done, 50))')
    assert.equal(await page.locator('#filter').inputValue(), word)
    await page.locator('#filter').fill('')
    await page.keyboard.press('Escape')
  }
})

test('a link with filter, kind and density shows just that; back undoes a step', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/?q=api&kind=counter&density=lines' })
  await page.locator('.by-lines article').first().waitFor()
  await until(page, '/^4 of/.test(document.querySelector(".filters .count").innerText)')
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.locator('table.fixed').waitFor()
  assert.match(page.url(), /density=table/)
  await page.goBack()
  await page.locator('.by-lines article').first().waitFor()
})

test('the cursor stands in all charts, and every number is the one at that instant', {
  skip,
}, async (t) => {
  const { page } = await open(t)
  await until(page, hasValue('.cell .value'))
  await until(page, isDrawn('.cell canvas'))
  const box = (await page.locator('.cell canvas').first().boundingBox())!
  await page.mouse.move(box.x + 60, box.y + 30)
  await until(page, 'document.documentElement.hasAttribute("data-cursor")')
  await until(page, 'document.querySelector(".clock .state").innerText === "Cursor"')
  const values = async (): Promise<string[]> => {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => done()))')
    return page.locator('.cell .value').allInnerTexts()
  }
  const early = await values()
  await page.mouse.move(box.x + 180, box.y + 30)
  const late = await values()
  const changed = early.filter((value, i) => value !== late[i])
  assert.ok(changed.length > 3, `${changed.length} of ${early.length} values follow the cursor`)
  await page.mouse.move(700, 20)
  await until(page, '!document.documentElement.hasAttribute("data-cursor")')
})

test('pause holds the picture while the reading goes on', { skip }, async (t) => {
  const { page, hub } = await open(t, { path: '/?sort=name&q=api' })
  const values = '[...document.querySelectorAll(".group:not(#unusual) .cell .value")].slice(0, 6)'
  await until(page, `${values}.every((value) => /\\d/.test(value.innerText))`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await until(page, 'document.querySelector(".clock .state").innerText === "Paused"')
  // Words come at once, values with the next frame.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
  const held = await textOf(page, '.clock .follows')
  assert.ok(new URL(page.url()).searchParams.has('at'))
  const fifth = page.locator('.group:not(#unusual) .cell .value').nth(4)
  const value = await fifth.textContent()
  // The hub goes on sending; the clock of the picture stands.
  await hub.ticks(2)
  assert.equal(await fifth.textContent(), value)
  assert.equal(await textOf(page, '.clock .follows'), held)
  await page.getByRole('button', { name: 'Resume' }).click()
  await until(page, 'document.querySelector(".clock .state").innerText === "Live"')
  await until(page, `document.querySelector(".clock .follows").innerText !== '${held}'`)
  assert.ok(!new URL(page.url()).searchParams.has('at'))
})

test('back is where one was, to the pixel, however often', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?sort=name' })
  const hasVerdict = '/slow/.test(document.querySelector(".overview-verdicts")?.innerText)'
  await until(page, hasVerdict)
  await page.evaluate('scrollTo(0, 900)')
  for (let turn = 0; turn < 2; turn++) {
    const links = '[...document.querySelectorAll(".cell a")]'
    await page.evaluate(`${links}.find((a) => a.getBoundingClientRect().top > 200).click()`)
    await until(page, 'document.querySelector("main h1")?.offsetHeight > 1 && scrollY === 0')
    await page.goBack()
    await until(page, `${CELLS} > 5`)
    await until(page, hasVerdict)
    assert.equal(await page.evaluate('scrollY'), 900)
  }
})

test('how many series there are is not cut for the sake of what could be chosen', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { path: '/sources' })
  for (const value of ['a', 'b']) {
    hub.add('far.reading', 'gauge', { 'resource.attribute.of.a.long.name': value }, 1)
  }
  await page.goto(new URL('/?q=reading', page.url()).href)
  const count = page.locator('.filters > .count')
  await until(page, "/^2 of /.test(document.querySelector('.filters > .count')?.innerText)")
  const [inside, whole] = await count.evaluate((each) => [each.clientWidth, each.scrollWidth])
  assert.ok(whole! <= inside!, `${whole} px in ${inside}`)
})

test('a link to a held picture shows that time from history', { skip }, async (t) => {
  const at = new Date(Math.floor(Date.now() / 1000 - 240) * 1000)
  const { page } = await open(t, { path: `/?q=api.requests&at=${at.toISOString()}` })
  await until(page, hasValue('.cell .value'))
  await until(page, isDrawn('.cell canvas'))
  const clock = await page.evaluate(`new Date(${at.getTime()}).toTimeString().slice(0, 8)`)
  assert.equal(await textOf(page, '.clock .follows'), clock)
  assert.equal(await textOf(page, '.clock .state'), 'Paused')
})

test('each density shows the same series', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?sort=name' })
  await until(page, `${CELLS} > 20`)
  const names = async (): Promise<string[]> =>
    page
      .locator('.group:not(#unusual) a.title, tbody a.title')
      .evaluateAll((links) => links.map((link) => link.getAttribute('title') ?? ''))
      // Small groups that share rows may change places.
      .then((titles) => titles.sort())
  const charts = await names()
  await page.keyboard.press('d')
  await page.locator('.by-lines').waitFor()
  assert.deepEqual(await names(), charts)
  await page.keyboard.press('d')
  await page.locator('table.fixed').waitFor()
  assert.deepEqual(await names(), charts)
})

test('a meter shows its dialect’s rate, and a click shows only its series', { skip }, async (t) => {
  const { page } = await open(t)
  const meter = page.locator('.meter', { hasText: 'Wallaroo' })
  await until(page, hasValue('.meter .rate'))
  assert.match(
    ((await meter.textContent()) ?? '').replaceAll('\u00a0', ' '),
    /1 error[\s\S]*k ?\/s/,
  )
  await meter.click()
  await until(page, '/^12 of/.test(document.querySelector(".filters .count").innerText)')
  assert.equal(await meter.getAttribute('aria-pressed'), 'true')
})

test('titles have a line of their own, and neighbours differ in what stands first', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/?sort=name&q=wallaroo', width: 1024 })
  await until(page, isDrawn('.cell canvas'))
  const labels = await page.locator('.cell .labels').allTextContents()
  assert.ok(labels.length >= 12, labels.join())
  for (const [i, text] of labels.entries()) {
    assert.match(text, /^(worker|pipeline)=/)
    assert.notEqual(text, labels[i - 1])
  }
  const isWhole = await page
    .locator('.cell .title b')
    .evaluateAll((names) => names.every((name) => name.scrollWidth <= name.clientWidth))
  assert.ok(isWhole, 'no name is cut by what stands below it')
})

for (const width of [390, 1024, 1300, 1440]) {
  test(`at ${width} px all controls are within reach, and the placeholder is whole`, {
    skip,
  }, async (t) => {
    const { page } = await open(t, { width, height: 844 })
    await until(page, isDrawn('.cell canvas'))
    for (const name of ['Pause', 'Light or dark', 'Keyboard help', 'Table']) {
      const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!
      assert.ok(box.x >= 0 && box.x + box.width <= width, `${name} at ${box.x}`)
    }
    const room = (await page.evaluate(`(() => {
      const field = document.querySelector('#filter')
      const context = document.createElement('canvas').getContext('2d')
      context.font = getComputedStyle(field).font
      return field.clientWidth - context.measureText(field.placeholder).width
    })()`)) as number
    assert.ok(room >= 0, `${room} px are lacking`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  })
}
