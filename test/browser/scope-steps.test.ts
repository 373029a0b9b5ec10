/** Going back on the scope board: what a person did is a step, what happens by itself is none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skip, until, useBrowser } from './browser.ts'
import { startExporter } from './exporter.ts'

const open = useBrowser()
/** Longer than the pause that ends a gesture. */
const REST_MS = 1000

test('each zoom, pan and event is a step to go back to, a trigger that holds is none', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [{ name: 'i', about: {}, usual: 10 }])
  const { page } = await open(t, { serve: exporter.serve, path: '/scope?time-window=2' })
  const search = (): string => new URL(page.url()).search
  await until(page, "/^10$/.test(document.querySelector('.key b')?.innerText ?? '')")
  const steps = async (): Promise<number> => (await page.evaluate('history.length')) as number
  const before = await steps()
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await until(page, "location.search.includes('zoom=')")
  assert.equal(await steps(), before + 1, 'one gesture is one step')
  const zoomed = search()
  await sleep(REST_MS)
  await page.keyboard.press('Shift+ArrowLeft')
  await until(page, "location.search.includes('back=')")
  assert.equal(await steps(), before + 2)
  await page.goBack()
  await until(page, "!location.search.includes('back=')")
  assert.equal(search(), zoomed)
  await page.goBack()
  await until(page, "!location.search.includes('zoom=')")
  assert.equal(search(), '?time-window=2')
  await sleep(REST_MS)
  await page.locator('input[aria-label="Trigger above"]').fill('50')
  await page.keyboard.press('Enter')
  await until(page, "location.search.includes('trigger=')")
  const armed = await steps()
  exporter.spike('i', 90)
  await until(page, "location.search.includes('at=')")
  assert.equal(await steps(), armed, 'the trigger has held, nobody asked for it')
  await page.goBack()
  await until(page, "!location.search.includes('trigger=')")
})
