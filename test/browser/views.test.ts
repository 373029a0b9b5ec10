/** One series, sources and errors, keys, themes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()

test('one histogram shows three charts, the distribution now, and its numbers', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/series/checkout.latency{route=/pay}' })
  await page.getByRole('heading', { name: 'checkout.latency' }).waitFor()
  for (const chart of [
    'Percentiles',
    'Distribution over time',
    'Distribution now',
    'Observations',
  ]) {
    await until(page, isDrawn(`canvas[aria-label^="${chart}"]`))
  }
  await until(page, '/\\d/.test(document.querySelector(".now .value").innerText)')
  const statistics = page.locator('[aria-label=Statistics]')
  await until(page, '/\\d/.test(document.querySelector("[aria-label=Statistics] dd").innerText)')
  assert.match(
    ((await statistics.textContent()) ?? '').replaceAll('\u00a0', ' '),
    /p99\.9[\s\S]*ms/,
  )
  await page.keyboard.press('t')
  await until(page, 'document.querySelectorAll(".chart-table").length === 3')
  await page.keyboard.press('u')
  await page.locator('.cell').first().waitFor()
})

test('one summary shows its mean, its range, its observations and exact numbers', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/series/System.Runtime/cpu-usage' })
  await page.getByRole('heading', { name: 'cpu-usage' }).waitFor()
  for (const chart of ['Mean and deviation', 'Smallest and largest', 'Observations']) {
    await until(page, isDrawn(`canvas[aria-label^="${chart}"]`))
  }
  await until(page, '/\\d/.test(document.querySelector("[aria-label=Statistics] dd").innerText)')
  const words = await textOf(page, '[aria-label=Statistics]')
  assert.match(words, /deviation/)
  assert.doesNotMatch(words, /p99/)
  await page.keyboard.press('t')
  await until(page, 'document.querySelectorAll(".chart-table tbody tr").length > 20')
  const names = ['Second', 'mean', 'deviation', 'Second', 'min', 'max', 'Second', 'observations']
  assert.deepEqual(await page.locator('.chart-table thead th').allTextContents(), names)
})

test('a counter is stated per the time its sender chose, or per another that is picked', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/?q=gc-count' })
  await page.locator('a.title', { hasText: 'Collections System.Runtime/gc-count' }).first().click()
  await page.getByRole('heading', { name: 'Collections System.Runtime/gc-count' }).waitFor()
  const unit = `document.querySelector('.now .value .unit').innerText.trim()`
  await until(page, `${unit} === '/min'`)
  const stated = page.getByRole('radio', { name: '/min' })
  assert.equal(await stated.getAttribute('aria-checked'), 'true')
  await page.getByRole('radio', { name: '/s' }).click()
  await until(page, `${unit} === '/s'`)
  assert.equal(new URL(page.url()).searchParams.get('per'), 's')
  await until(page, isDrawn('canvas[aria-label^="Rate"]'))
  await stated.click()
  await until(page, `${unit} === '/min'`)
  assert.equal(new URL(page.url()).searchParams.get('per'), null)
  assert.match(await textOf(page, '[aria-label="As one value"]'), /Collections \/ Min\s*84$/)
  await page.goBack()
  await page.keyboard.press('u')
  await page.getByLabel('Rates').selectOption('h')
  await until(page, `document.querySelector('.cell .value').innerText.endsWith('/h')`)
})

test('a title in the overview opens its series, and the link names it', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?q=queue.depth' })
  await page.locator('.group:not(#unusual) a.title', { hasText: 'email' }).first().waitFor({
    state: 'detached',
  })
  await page.locator('a.title[title="queue.depth{queue=email}"]').first().click()
  await page.getByRole('heading', { name: 'queue.depth' }).waitFor()
  assert.equal(decodeURIComponent(new URL(page.url()).pathname), '/series/queue.depth{queue=email}')
  await until(page, isDrawn('canvas[aria-label*=", last 10"]'))
  await until(page, `document.activeElement.tagName === 'H1'`)
  await page.goBack()
  await page.locator('.cell').first().waitFor()
  await until(page, `document.activeElement.title === 'queue.depth{queue=email}'`)
  await page.goForward()
  await until(page, `document.activeElement.innerText.startsWith('queue.depth')`)
})

test('charts with nothing beside them are as wide as the others at 390 px', { skip }, async (t) => {
  const path = `/series/${encodeURIComponent('queue.depth{queue=email}')}`
  const { page } = await open(t, { path, width: 390 })
  const names = 'canvas[aria-label^="Value"], canvas[aria-label*="last 10 minutes"]'
  await until(page, `document.querySelectorAll('${names}').length === 2`)
  const [value, long] = await page.locator(names).evaluateAll((all) => {
    return all.map((each) => each.clientWidth)
  })
  assert.equal(long, value)
})

for (const width of [390, 1010, 1190, 1440]) {
  test(`each number of the statistics is one line at ${width} px`, { skip }, async (t) => {
    for (const series of ['checkout.latency{route=/pay}', 'api.requests{method=GET,status=200}']) {
      const { page } = await open(t, { path: `/series/${encodeURIComponent(series)}`, width })
      await until(page, `/\\d/.test(document.querySelector('.facts.two dd')?.innerText ?? '')`)
      const heights = await page.locator('.facts.two dd').evaluateAll((all) => {
        return all.map((each) => each.clientHeight)
      })
      assert.ok(
        heights.every((height) => height <= 20),
        heights.join(),
      )
    }
  })
}

test('errors show the offending bytes in hex and text', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  await page.getByRole('heading', { name: 'Sources and errors' }).waitFor()
  const message = page.locator('.message', { hasText: 'bad_value' })
  assert.match((await message.textContent()) ?? '', /9×[\s\S]*“12,5” is not a number/)
  const marked = await message.locator('mark').allInnerTexts()
  assert.deepEqual(marked.slice(0, 8), ['31', '1', '32', '2c', '35', '2', ',', '5'])
  assert.match(await textOf(page, '[aria-label="Listeners"] tbody'), /udp\+tcp 127\.0\.0\.1:8125/)
})

test('keys move through the page', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?sort=name' })
  await page.locator('.cell').first().waitFor()
  await until(page, isDrawn('.cell canvas'))
  await page.keyboard.press('/')
  await until(page, 'document.activeElement.id === "filter"')
  await page.keyboard.type('p')
  assert.equal(await page.locator('#filter').inputValue(), 'p')
  assert.equal(new URL(page.url()).searchParams.get('at'), null)
  await page.locator('#filter').fill('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('5')
  assert.equal(new URL(page.url()).searchParams.get('window'), '300')
  await page.keyboard.press('[')
  assert.equal(new URL(page.url()).searchParams.get('window'), '120')
  await page.keyboard.press('ArrowLeft')
  await until(page, 'document.documentElement.hasAttribute("data-cursor")')
  await page.keyboard.press('Escape')
  await until(page, '!document.documentElement.hasAttribute("data-cursor")')
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.getByRole('heading', { name: 'Sources and errors' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  // cells that are still being made would take the focus with them
  await until(page, isDrawn('.cell canvas'))
  await page.keyboard.press('j')
  // A slow computation may stand above all series by now, and is walked to like them.
  const isSeries = `document.activeElement.matches('a.title')`
  if (!(await page.evaluate(isSeries))) await page.keyboard.press('j')
  const title = await page.evaluate('document.activeElement.title')
  await page.keyboard.press('Enter')
  await until(page, `location.pathname.startsWith('/series/')`)
  assert.equal(decodeURIComponent(new URL(page.url()).pathname), `/series/${title}`)
})

test('help is a dialog, gives the focus back, and can switch single keys off', {
  skip,
}, async (t) => {
  const { page } = await open(t)
  await page.locator('.cell').first().waitFor()
  await page.getByRole('button', { name: 'Keyboard help' }).click()
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await until(page, '!document.querySelector("dialog")')
  assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Keyboard help')
  await page.keyboard.press('d')
  assert.equal(await page.locator('.by-charts').count(), 1)
})

test('colours follow the system until they are chosen', { skip }, async (t) => {
  const { page } = await open(t, { theme: 'light' })
  await page.locator('.cell').first().waitFor()
  const theme = (): Promise<unknown> => page.evaluate('document.documentElement.dataset.theme')
  assert.equal(await theme(), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await until(page, 'document.documentElement.dataset.theme === "dark"')
  await page.getByRole('button', { name: 'Light or dark' }).click()
  assert.equal(await theme(), 'light')
  await page.reload()
  assert.equal(await theme(), 'light')
  const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  assert.equal(paper, 'rgb(251, 251, 250)')
})

test('a series has its names in exports, to copy', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/checkout.requests' })
  const names = page.getByRole('region', { name: 'Named' })
  await names.getByText('PromQL, per second').waitFor()
  await names.getByRole('button', { name: 'Copy PromQL name' }).click()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.equal(copied, 'rate(checkout_requests_total[5m])')
  assert.equal(await textOf(page, '[role=status]'), 'Copied PromQL name')
})
