/** Jumping by typing: to series, sources, views and actions; quick with ten thousand series. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const pathOf = (page: Page): string => decodeURIComponent(new URL(page.url()).pathname)

async function openJump(page: Page): Promise<void> {
  await page.locator('.cell').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Jump to' }).waitFor()
}

test('a series is found by some of its words, and opened by Enter', { skip }, async (t) => {
  const { page } = await open(t)
  await openJump(page)
  const options = page.locator('dialog [role=option]')
  assert.match((await options.first().innerText()).trim(), /^Overview/)
  await page.keyboard.type('latency pay')
  await until(page, `document.querySelectorAll('[role=option]').length === 1`)
  assert.match(await options.first().innerText(), /checkout\.latency route=\/pay/)
  await page.keyboard.press('Enter')
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  assert.equal(pathOf(page), '/series/checkout.latency{route=/pay}')
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('arrows choose, the field keeps the focus and says which one', { skip }, async (t) => {
  const { page } = await open(t)
  await openJump(page)
  await page.keyboard.type('api')
  const field = page.getByRole('combobox', { name: 'Jump to' })
  await until(page, `document.querySelectorAll('[role=option]').length > 3`)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const id = await field.getAttribute('aria-activedescendant')
  assert.equal(id, 'jump-list-2')
  assert.equal(await page.locator(`#${id}`).getAttribute('aria-selected'), 'true')
  const words = await textOf(page, `#${id} .what`)
  await page.keyboard.press('Enter')
  await until(page, `location.pathname.startsWith('/series/api')`)
  assert.ok(pathOf(page).startsWith(`/series/${words.split(' ')[0]}`), words)
})

test('sources, views and places of a dialect are jumped to', { skip }, async (t) => {
  const { page } = await open(t)
  await openJump(page)
  await page.keyboard.type('source eventcounters')
  // sources are asked for, and may come after the letters
  await page.locator('[role=option]', { hasText: 'eventcounters' }).first().waitFor()
  await page.keyboard.press('Enter')
  await eventually(() => page.url().includes('source=eventcounters'), 'its series')
  await openJump(page)
  await page.keyboard.type('market-spread')
  await page.locator('[role=option]', { hasText: 'application, Wallaroo' }).click()
  await eventually(() => pathOf(page) === '/wallaroo/market-spread', 'the application')
})

test('letters typed before the dialog has come are not lost', { skip }, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty', path: '/sources' })
  hub.add('api.requests', 'counter', {}, 1)
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/jump-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(new URL('/', page.url()).href)
  await page.locator('.cell').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('api.request  s')
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('s')
  release()
  const field = page.getByRole('combobox', { name: 'Jump to' })
  await field.waitFor()
  assert.equal(await field.inputValue(), 'api.requests')
  await page.keyboard.type(' ')
  assert.equal(await field.inputValue(), 'api.requests ')
})

test('actions are carried out, those of single keys too', { skip }, async (t) => {
  const { page } = await open(t)
  await openJump(page)
  await page.keyboard.type('window of 5')
  await page.keyboard.press('Enter')
  await eventually(() => page.url().includes('window=300'), 'five minutes')
  await openJump(page)
  await page.keyboard.type('single keys off')
  await page.keyboard.press('Enter')
  await page.keyboard.press('d')
  assert.equal(await page.locator('.by-charts').count(), 1, 'D does nothing')
  await openJump(page)
  await page.keyboard.type('keyboard help')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  assert.equal(await page.getByRole('checkbox').isChecked(), false)
})

test('Escape closes and gives the focus back; nothing found is said', { skip }, async (t) => {
  const { page } = await open(t)
  await page.locator('.cell').first().waitFor()
  await page.getByRole('button', { name: 'Jump to' }).click()
  await page.keyboard.type('nothing like it')
  await page.getByText('No series, source, view or action has these words.').waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await page.getByRole('dialog').count(), 1)
  await page.keyboard.press('Escape')
  await until(page, '!document.querySelector("dialog")')
  assert.match(String(await page.evaluate('document.activeElement.innerText')), /^Jump to/)
  assert.equal(pathOf(page), '/')
})

test('asked for again before it is known to have closed, it comes again', { skip }, async (t) => {
  const { page } = await open(t)
  for (const closing of ['Enter', 'Escape']) {
    await openJump(page)
    await page.evaluate(`(async () => {
      const press = (target, init) => {
        const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
        target.dispatchEvent(event)
      }
      if (${closing === 'Enter'}) press(document.querySelector('[role=combobox]'), { key: 'Enter' })
      else document.querySelector('dialog').dispatchEvent(new Event('cancel'))
      // the page is rendered, and no event has come
      for (let i = 0; i < 20; i += 1) await undefined
      press(document.body, { key: 'k', ctrlKey: true })
    })()`)
    await page.locator('dialog[open]').waitFor()
    await page.waitForTimeout(50)
    assert.equal(await page.locator('dialog[open]').count(), 1, closing)
    await page.keyboard.press('Escape')
    await until(page, '!document.querySelector("dialog")')
  }
})

test('with ten thousand series each letter is answered at once', { skip }, async (t) => {
  const { page, hub } = await open(t, { scene: 'empty' })
  for (let i = 0; i < 10_000; i += 1) {
    hub.add(`fleet.host${i % 100}.requests`, 'counter', { user: `u${i}` }, 1)
  }
  await page.reload()
  await openJump(page)
  await page.keyboard.type('host42 u9')
  await until(page, `/\\d found/.test(document.querySelector('dialog footer').innerText)`)
  const found = Number(/(\d+) found/.exec(await textOf(page, 'dialog footer'))?.[1])
  assert.ok(found >= 10 && found <= 60, `${found} found`)
  const longest = (await page.evaluate(`(async () => {
    const field = document.querySelector('[role=combobox]')
    let longest = 0
    for (const text of ['f', 'fl', 'fleet', 'fleet.h', 'u99', 'host4 u77', 'requests']) {
      const start = performance.now()
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
      longest = Math.max(longest, performance.now() - start)
    }
    return longest
  })()`)) as number
  t.diagnostic(`longest answer to a letter: ${longest.toFixed(0)} ms`)
  assert.ok((await page.locator('[role=option]').count()) <= 60)
  assert.match(await textOf(page, 'dialog footer'), /first 60 of 10.000/)
})
