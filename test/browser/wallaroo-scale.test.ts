/** Wallaroo's views of large applications, slow hubs, and names that mean harm. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type {
  ApplicationAnswer,
  RowJson,
  ViewAnswer,
  WorkerRow,
} from '../../src/dialects/wallaroo/http/api.ts'
import { shownName } from '../../src/viewer/format/name.ts'
import { eventually, isDrawn, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()
const APPLICATION = '/wallaroo/market-spread'
const ANSWERS = '**/api/v1/wallaroo/application?*'
const ROWS_IN_PAGE = 'document.querySelectorAll("main tr").length'

/** Every later answer about the application is changed first. */
async function change(
  page: Page,
  by: (answer: ApplicationAnswer) => ApplicationAnswer,
): Promise<void> {
  await page.route(ANSWERS, async (route) => {
    const answer = (await (await route.fetch()).json()) as ApplicationAnswer
    await route.fulfill({ json: by(answer) })
  })
}

function workersOf(answer: ApplicationAnswer, count: number): readonly WorkerRow[] {
  const [first] = answer.workers
  return Array.from({ length: count }, (_, i) => {
    const worker = `w${String(i).padStart(5, '0')}`
    const key = { ...first!.key, worker }
    return { ...first!, key, worker: { ...first!.worker, worker } }
  })
}

test('of twenty thousand workers only those near the screen are rendered', { skip }, async (t) => {
  const { page } = await open(t, { path: '/' })
  await change(page, (answer) => ({ ...answer, workers: workersOf(answer, 20_000) }))
  await page.goto(new URL(APPLICATION, page.url()).href)
  const table = page.locator('[aria-label="Worker, table"]')
  await table.getByText('w00000').waitFor()
  const rows = Number(await page.evaluate(ROWS_IN_PAGE))
  assert.ok(rows < 1000, `${rows} rows in the page`)
  await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)')
  await until(page, '/w\\d{5}/.test(document.elementFromPoint(60, 400)?.innerText ?? "")')
  const middle = String(await page.evaluate('document.elementFromPoint(60, 400).innerText'))
  assert.ok(Number(/w(\d{5})/.exec(middle)?.[1]) > 1000, middle)
  assert.ok(Number(await page.evaluate(ROWS_IN_PAGE)) < 1000)
})

test('thousands of computations stay found: the slow one by its order', { skip }, async (t) => {
  const { page } = await open(t, { path: '/' })
  const many = (rows: readonly RowJson[]): readonly RowJson[] => {
    const usual = rows.filter(({ key }) => key.name === 'Decode Time in TCP Source')
    const copies = Array.from({ length: 2000 }, (_, i) =>
      usual.map((row) => ({ ...row, key: { ...row.key, name: `A step ${i}` } })),
    )
    return [...copies.flat(), ...rows]
  }
  await change(page, (answer) => ({
    ...answer,
    computationsByWorker: many(answer.computationsByWorker),
  }))
  await page.goto(new URL(`${APPLICATION}?order=slow`, page.url()).href)
  await page.locator('.matrix .what').first().waitFor()
  assert.match(await textOf(page, '.matrix tbody tr'), /^Check Order Orders/)
  assert.equal(await page.locator('.matrix .slow-cell').count(), 1)
  const rows = Number(await page.evaluate(ROWS_IN_PAGE))
  assert.ok(rows < 500, `${rows} rows in the page`)
})

test('a slow hub is asked again only after it has answered', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  let asked = 0
  let inFlight = 0
  let most = 0
  await page.route(ANSWERS, async (route) => {
    asked += 1
    inFlight += 1
    most = Math.max(most, inFlight)
    await setTimeout(1200)
    inFlight -= 1
    await route.continue()
  })
  await page.goto(new URL(APPLICATION, page.url()).href)
  await eventually(() => asked >= 3, 'three questions')
  assert.equal(most, 1)
})

const HOSTILE = [
  'a@b*c:d||e',
  'say "yes" & <b>no</b>',
  'two\nlines',
  'two lines',
  'nul\0',
  'nul',
  '\u202egpj.exe',
  'Zürich 価格 👩‍💻',
  '..',
  '-',
  '~',
  '',
  'a/b?c#d%41',
  'k'.repeat(5000),
]

test('hostile names stay distinct, lead to their own places and scroll nothing', {
  skip,
}, async (t) => {
  const { page, requests } = await open(t, { path: '/', width: 1024 })
  await change(page, (answer) => {
    const [row] = answer.computationsByWorker
    return {
      ...answer,
      computationsByWorker: HOSTILE.map((name) => ({ ...row!, key: { ...row!.key, name } })),
      pipelines: HOSTILE.map((pipeline) => ({
        ...answer.pipelines[0]!,
        key: { category: 'start-to-end', pipeline },
      })),
    }
  })
  await page.route('**/api/v1/wallaroo/view?*', async (route) => {
    const known = new URL(route.request().url())
    known.search = '?application=market-spread&category=computation&pipeline=Nbbo&seconds=60'
    const view = (await (await route.fetch({ url: known.href })).json()) as ViewAnswer
    await route.fulfill({ json: { ...view, tables: [] } })
  })
  const overview = new URL(APPLICATION, page.url()).href
  await page.goto(overview)
  await page.locator('.matrix .what').first().waitFor()
  const names = await page.locator('.matrix .what a').allInnerTexts()
  assert.equal(new Set(names).size, HOSTILE.length)
  assert.ok(
    names.includes('two\\x0alines') && names.includes('nul\\x00') && names.includes('(blank)'),
  )
  assert.equal(await page.locator('main b').count(), 0, 'names are text')
  const wide = await page.evaluate('document.documentElement.scrollWidth')
  assert.equal(wide, 1024)
  for (const [i, name] of [...HOSTILE].sort().entries()) {
    // addresses beyond the head of a request are the hub's to refuse
    if (name.length > 1000) continue
    await page.goto(overview)
    await page.locator('.matrix .what').first().waitFor()
    const before = requests.length
    await page.locator('.matrix .what a').nth(i).click()
    const asked = (): string | undefined =>
      requests.slice(before).find((each) => each.startsWith('/api/v1/wallaroo/view'))
    await eventually(() => asked() !== undefined, `the view of ${JSON.stringify(name)}`)
    assert.equal(new URLSearchParams(asked()!.split('?')[1]).get('name'), name)
    await page.locator('.figure').first().waitFor()
    await page.reload()
    await page.locator('.figure').first().waitFor()
    assert.equal(await textOf(page, 'h1'), shownName(name), 'the link says the same again')
  }
})

test('at 390 px the slow cell is in sight, with its worker', { skip }, async (t) => {
  const { page } = await open(t, { path: APPLICATION, width: 390, height: 844 })
  await until(page, isDrawn('.matrix td canvas'))
  const box = (await page.locator('.slow-cell').boundingBox())!
  assert.ok(box.x >= 0 && box.x + box.width <= 390, `${box.x} to ${box.x + box.width}`)
  assert.match(await textOf(page, '.slow-cell'), /^worker2.*ms$/)
})
