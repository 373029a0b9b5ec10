/** axe finds nothing: every view, both themes, wide and narrow; and no view scrolls sideways. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { isDrawn, skip, until, useBrowser } from './browser.ts'

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
    ready: isDrawn('canvas[aria-label*="over time"]'),
  },
  { name: 'sources', path: '/sources', ready: '!!document.querySelector("mark")' },
] as const

for (const { name, path, ready } of VIEWS) {
  for (const theme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      test(`axe finds nothing in ${name}, ${theme}, ${width} px wide`, { skip }, async (t) => {
        const { page } = await open(t, { path, theme, width, height })
        await until(page, ready)
        await page.evaluate(AXE)
        const violations = (await page.evaluate(
          'axe.run(document).then(({ violations }) => violations)',
        )) as Violation[]
        const found = violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`),
        )
        assert.deepEqual(found, [])
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        assert.ok((wide as number) <= width, `the page is ${wide} px wide`)
      })
    }
  }
}

for (const scene of ['empty', 'limit', 'listener'] as const) {
  test(`axe finds nothing when the hub is in the state "${scene}"`, { skip }, async (t) => {
    const { page } = await open(t, { scene, theme: 'light' })
    await page
      .locator(scene === 'empty' ? '.empty li' : '.banner')
      .first()
      .waitFor()
    await page.evaluate(AXE)
    const ids = await page.evaluate(
      'axe.run(document).then(({ violations }) => violations.map(({ id }) => id))',
    )
    assert.deepEqual(ids, [])
  })
}
