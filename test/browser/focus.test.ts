/** Focus of who has a keyboard alone: it is never lost, whichever way led to what is shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip, until, useBrowser } from './browser.ts'

const open = useBrowser()

test('a window that was typed leaves the focus in its field', { skip }, async (t) => {
  const { page } = await open(t)
  const field = page.getByLabel('Other window')
  await field.focus()
  await page.keyboard.type('7:30')
  await page.keyboard.press('Enter')
  await until(page, "location.search === '?window=450'")
  await until(page, "document.activeElement.ariaLabel === 'Other window'")
  assert.equal(await field.inputValue(), '7 min 30 s')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('a while')
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.ariaInvalid === 'true'")
  await page.keyboard.press('Escape')
  assert.equal(await field.inputValue(), '7 min 30 s')
  await page.goBack()
  await until(page, "document.querySelector('[aria-label=\"Other window\"]').value === ''")
})

test('a jump to another place leads to its heading, one that stays to where it was', {
  skip,
}, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  await page.getByRole('heading', { name: 'Sources and errors' }).waitFor()
  await page.getByRole('button', { name: 'Light or dark' }).focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Jump to' }).waitFor()
  await page.keyboard.type('latency pay')
  await until(page, "document.querySelectorAll('[role=option]').length === 1")
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.tagName === 'H1'")
  await page.getByRole('button', { name: 'Light or dark' }).focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Jump to' }).waitFor()
  await page.keyboard.press('Escape')
  await until(page, "document.activeElement.ariaLabel === 'Light or dark'")
})

test('the heading of a view has the focus, also where it comes after its data', {
  skip,
}, async (t) => {
  const { page } = await open(t)
  await page.locator('.cell').first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.locator('.verdict').waitFor()
  await until(page, "document.activeElement.tagName === 'H1'")
})
