/** axe finds nothing: every view, both themes, wide and narrow; and no view scrolls sideways. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ApplicationsAnswer } from '../../src/dialects/wallaroo/http/api.ts'
import { isDrawn, skip, until, untilDrawn, useBrowser } from './browser.ts'

const open = useBrowser()
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

const VIEWS = [
  { name: 'overview', path: '/', ready: isDrawn('.cell canvas') },
  { name: 'lines', path: '/?density=lines', ready: isDrawn('.line canvas') },
  {
    name: 'table',
    path: '/?density=table',
    ready: '/\\d/.test(document.querySelector("td.num")?.innerText ?? "")',
  },
  {
    name: 'histogram',
    path: '/series/checkout.latency{route=/pay}',
    ready: isDrawn('canvas[aria-label^="Distribution over"]'),
  },
  {
    name: 'gauge',
    path: '/series/queue.depth{queue=email}',
    ready: isDrawn('canvas[aria-label*=", last "]'),
  },
  {
    name: 'a Wallaroo application',
    path: '/wallaroo/market-spread',
    ready: isDrawn('.matrix td canvas'),
  },
  {
    name: 'a Wallaroo computation',
    path: '/wallaroo/market-spread/Orders/worker2/Check%20Order',
    ready: isDrawn('canvas[aria-label^="Per cent"]'),
  },
  {
    name: 'a Wallaroo pipeline',
    path: '/wallaroo/market-spread/Orders?above=50us&order=p99',
    ready: isDrawn('canvas[aria-label^="Per cent"]'),
  },
  {
    name: 'a Wallaroo worker',
    path: '/wallaroo/market-spread/-/worker3',
    ready: isDrawn('canvas[aria-label^="Per cent"]'),
  },
  {
    name: 'a crossing of a Wallaroo pipeline and worker',
    path: '/wallaroo/market-spread/Orders/worker2?category=node-ingress-egress',
    ready: isDrawn('canvas[aria-label^="Per cent"]'),
  },
  {
    name: 'a Wallaroo source',
    path: '/wallaroo/market-spread/Orders/-/Orders%20source?category=pipeline-ingestion',
    ready: isDrawn('canvas[aria-label^="Messages per second"]'),
  },
  {
    name: 'the numbers of the original Metrics UI',
    path: '/wallaroo/market-spread/Orders?mode=compatible',
    ready: isDrawn('canvas[aria-label^="Percent by"]'),
  },
  {
    name: 'an application in the numbers of the original',
    path: '/wallaroo/market-spread?mode=compatible',
    ready: '!!document.querySelector("[aria-label=\\"Worker Stats, table\\"] td")',
  },
  {
    name: 'a histogram with tables',
    path: '/series/checkout.latency{route=/pay}?tables=1&window=45',
    ready: 'document.querySelectorAll(".chart-table tbody tr").length > 12',
  },
  {
    name: 'a Wallaroo pipeline with tables',
    path: '/wallaroo/market-spread/Orders?tables=1',
    ready: 'document.querySelectorAll(".chart-table tbody tr").length > 12',
  },
  {
    name: 'a scope board',
    path: '/scope?series=queue.depth&series=checkout.latency&trigger=queue.depth=,1&y-range=x=0,1',
    ready: isDrawn('.plot canvas'),
  },
  {
    name: 'a scope board that knows none of its series',
    path: '/scope?series=nothing-like-it',
    ready: '!!document.querySelector(".scope-choices li")',
  },
  {
    name: 'a scope board that stands at an event',
    path: '/scope?series=queue.depth&trigger=queue.depth%7Bqueue=email%7D=,1',
    ready: 'document.querySelector(".clock .state")?.innerText === "Held"',
  },
  {
    name: 'a scope board that is paused',
    path: '/scope?series=queue.depth&sma=queue.depth%7Bqueue=email%7D=2s',
    ready: isDrawn('.plot canvas'),
    keys: ['p'],
  },
  {
    name: 'a histogram compared with itself',
    path: '/series/checkout.latency{route=/pay}?before=60&tables=1',
    ready: isDrawn('canvas[aria-label^="Distribution in both"]'),
  },
  {
    name: 'two Wallaroo workers compared',
    path: '/wallaroo/market-spread/-/worker2?against=worker3',
    ready: isDrawn('canvas[aria-label^="p50 and p99"]'),
  },
  {
    name: 'windows of hours and days',
    scene: 'history',
    path: '/series/queue.depth{queue=email}?window=86400',
    ready: isDrawn('canvas[aria-label*=", last "]'),
  },
  {
    name: 'sources of a hub with a history',
    scene: 'history',
    path: '/sources',
    ready: '!!document.querySelector("mark")',
  },
] as const

/**
 * In which each view is looked at: each theme, each width. What is seen in one theme only is its
 * colours, and those are the same at each width; with TEST_LONG=1 all four are
 * looked at.
 */
const LOOKS = [
  { theme: 'light', width: 1440, height: 900 },
  { theme: 'dark', width: 390, height: 844 },
  ...(process.env.TEST_LONG
    ? ([
        { theme: 'dark', width: 1440, height: 900 },
        { theme: 'light', width: 390, height: 844 },
      ] as const)
    : []),
] as const

for (const { name, path, ready, ...rest } of VIEWS) {
  test(`axe finds nothing in ${name}, in both themes, wide and narrow`, { skip }, async (t) => {
    const [first] = LOOKS
    const { page } = await open(t, {
      path,
      ...first,
      ...('scene' in rest && { scene: rest.scene }),
    })
    for (const look of LOOKS) {
      const { theme, ...size } = look
      if (look !== first) {
        await page.setViewportSize(size)
        // without motion: else backgrounds pass from one colour to the other, and lag behind texts
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.goto(new URL(path, page.url()).href)
      }
      await until(page, ready)
      for (const key of 'keys' in rest ? rest.keys : []) await page.keyboard.press(key)
      await page.evaluate(AXE)
      await untilDrawn(page)
      const where = `${theme}, ${size.width} px wide`
      assert.deepEqual(await violations(page), [], where)
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(wide <= size.width, `${where}: the page is ${wide} px wide`)
    }
  })
}

/** Lists what axe finds in the page as it is now. */
async function violations(page: Page): Promise<string[]> {
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Violation[]
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`),
  )
}

test('axe finds nothing in the list of Wallaroo applications', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources', theme: 'light' })
  await page.route('**/api/v1/wallaroo/applications', async (route) => {
    const answer = (await (await route.fetch()).json()) as ApplicationsAnswer
    const [first] = answer.applications
    const age = { lastWindowMs: answer.nowMs - 400_000 }
    const second = { ...first!, ...age, application: 'second', computations: 0 }
    await route.fulfill({ json: { ...answer, applications: [first, second] } })
  })
  await page.goto(new URL('/wallaroo', page.url()).href)
  await page.locator('[aria-label="Applications, table"] tbody tr').first().waitFor()
  await page.locator('.verdict').first().waitFor()
  await page.evaluate(AXE)
  assert.deepEqual(await violations(page), [])
})

test('the name of a picture holds its series, its window and its values', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/queue.depth{queue=email}?window=300' })
  const names = '[...document.querySelectorAll("canvas")].map((canvas) => canvas.ariaLabel)'
  const value = /^Value of queue\.depth.*email.*, last 5\smin, now \d[^,]*, .*; T: as a table$/
  await until(page, `${names}.some((name) => ${value}.test(name))`)
  await until(page, `${names}.some((name) => /, last 10\\smin/.test(name))`)
})

test('axe finds nothing in an open menu', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/checkout.latency{route=/pay}' })
  await until(page, isDrawn('canvas[aria-label^="Percentiles"]'))
  await page.locator('.more').first().click()
  await page.getByRole('menu').waitFor()
  await page.evaluate(AXE)
  assert.deepEqual(await violations(page), [])
})

for (const theme of ['light', 'dark'] as const) {
  test(`axe finds nothing in the dialogs, ${theme}`, { skip }, async (t) => {
    const { page } = await open(t, { theme })
    await page.locator('.cell').first().waitFor()
    await page.evaluate(AXE)
    for (const keys of ['Control+k', '?']) {
      await page.keyboard.press(keys)
      await page.getByRole('dialog').waitFor()
      if (keys !== '?') await page.keyboard.type('a')
      assert.deepEqual(await violations(page), [], keys)
      await page.keyboard.press('Escape')
      await until(page, '!document.querySelector("dialog")')
    }
  })
}

for (const scene of ['empty', 'limit', 'listener'] as const) {
  test(`axe finds nothing when the hub is in the state "${scene}"`, { skip }, async (t) => {
    const { page } = await open(t, { scene, theme: 'light' })
    await page
      .locator(scene === 'empty' ? '.empty li' : '.banner')
      .first()
      .waitFor()
    await page.evaluate(AXE)
    assert.deepEqual(await violations(page), [])
  })
}
