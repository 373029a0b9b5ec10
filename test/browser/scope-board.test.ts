/** The scope board with a real hub and a real exporter at 50 Hz. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import {
  eventually,
  isDrawn,
  skip,
  textOf,
  tryNow,
  until,
  untilDrawn,
  useBrowser,
} from './browser.ts'
import { startExporter } from './exporter.ts'
import { BOX, type Peak, RED_CANVAS, redPeaks } from './red-peaks.ts'

const open = useBrowser()
const CANVAS = '.plot canvas'
const query = (page: Page, name: string): string[] => new URL(page.url()).searchParams.getAll(name)
const isState = (word: string): string =>
  `document.querySelector('.clock .state')?.innerText === '${word}'`
const hasText = (selector: string, pattern: RegExp): string =>
  `${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`

/** Samples from one peak to the next: 400 ms at 50 Hz. */
const PEAK_SAMPLES = 20
const RED = { plot: 'p', color: 'red', unit: 'A' }

for (const windowS of [5, 60, 600]) {
  test(`peaks of single samples stand in the picture as they were sent, ${windowS} s`, {
    skip,
  }, async (t) => {
    const exporter = await startExporter(t, [{ name: 'i', about: RED, usual: 10 }])
    const path = `/scope?time-window=${windowS}&y-range=p=0,100`
    const { page } = await open(t, { serve: exporter.serve, path })
    await until(page, hasText('.key b', /^10.A$/))
    const sent = [63, 97, 41, 88]
    // one after the other in the same samples, however late these are taken
    const calm = new Array<number>(PEAK_SAMPLES - 1).fill(10)
    exporter.spike('i', ...sent.flatMap((value) => [value, ...calm]))
    exporter.set('i', 20)
    await until(page, hasText('.key b', /^20.A$/))
    await page.keyboard.press('p')
    await until(page, isState('Paused'))
    await untilDrawn(page)
    const peaks = await redPeaks(page, 0, 100, 0.3, 0.004)
    const height = (await page.locator(CANVAS).boundingBox())!.height - BOX.top - BOX.bottom
    // lines are 1.5 px wide
    const tolerance = (2 * 100) / height
    if (windowS === 600) {
      // all of them share some columns: the highest must stand
      const most = Math.max(...peaks.map(({ value }) => value))
      assert.ok(Math.abs(most - 97) <= tolerance, `${most}`)
      return
    }
    assert.equal(peaks.length, sent.length, JSON.stringify(peaks))
    peaks.forEach(({ value }, i) => {
      assert.ok(Math.abs(value - sent[i]!) <= tolerance, `${value} for ${sent[i]}`)
    })
  })
}

test('the trigger stops the picture with the event in its middle, once for each crossing', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [
    { name: 'i', about: RED, usual: 10 },
    { name: 'other', usual: 1 },
  ])
  const path = '/scope?time-window=4&y-range=p=0,100&trigger=p/i=,50'
  const { page } = await open(t, { serve: exporter.serve, path })
  await until(page, hasText('.trigger-state', /Armed/))
  await until(page, isDrawn(CANVAS))
  await sleep(500)
  exporter.spike('i', 80)
  await until(page, isState('Held'))
  await untilDrawn(page)
  assert.match(await textOf(page, '.trigger-state'), /^Stopped on i 80 A at \d\d:\d\d:\d\d\.\d$/)
  const [peak] = await redPeaks(page, 0, 100, 0.3)
  assert.ok(Math.abs(peak!.at - 0.5) < 0.01, `the event is at ${peak!.at}`)
  assert.ok(Math.abs(peak!.value - 80) < 1)
  const [at] = query(page, 'at')
  assert.match(at ?? '', /Z$/)
  assert.equal(await page.locator('.event-row').count(), 1)
  // outside again while the picture stands, and still outside when it moves
  exporter.set('i', 90)
  await exporter.told(40)
  await sleep(300)
  await page.keyboard.press('p')
  await until(page, isState('Live'))
  assert.deepEqual(query(page, 'at'), [])
  await sleep(3000)
  assert.equal(await textOf(page, '.clock .state'), 'Live')
  exporter.set('i', 10)
  await exporter.told(10)
  exporter.spike('i', 70)
  await until(page, isState('Held'))
  assert.match(await textOf(page, '.trigger-state'), /^Stopped on i 70 A/)
  await page.keyboard.press('b')
  await until(page, hasText('.trigger-state', /Stopped on i 80.A/))
  await page.keyboard.press('n')
  await until(page, hasText('.trigger-state', /Stopped on i 70.A/))
  // the link holds the same event, and what the hub has kept has both
  await page.reload()
  await until(page, hasText('.trigger-state', /Stopped on i 70.A/))
  assert.equal(await textOf(page, '.clock .state'), 'Held')
  // with the level that was set in between, which nothing was latched by
  await until(page, 'document.querySelectorAll(".event-row").length >= 2')
  await page.keyboard.press('F5')
  await until(page, isState('Live'))
  await until(page, hasText('.trigger-state', /^Armed$/))
})

test('the URL is the state, by the names of the original; back goes back', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [
    { name: 'm=1', about: { plot: 'current', unit: 'A' }, usual: 9 },
    { name: 'm2', about: { plot: 'current', unit: 'A' }, usual: 4 },
    { name: 'bus', usual: 48 },
  ])
  const settings = [
    'time-window=30',
    'chart-cols=3',
    'chart-aspect=2.5',
    'y-range=current=0,25',
    'sma=current/m2=2s',
    'trigger=current/m=1=,18',
    'trigger=bus=45,',
    'hide=current/m2',
    'plot=bus=all',
    'nonsense=1',
    'sma=broken',
  ]
  const { page } = await open(t, { serve: exporter.serve, path: `/scope?${settings.join('&')}` })
  await until(page, hasText('.key b', /\d/))
  const named = (name: string) => page.getByLabel(name)
  assert.equal(await page.locator('.segments [aria-checked=true]').textContent(), '30 s')
  assert.equal(await named('Columns').inputValue(), '3')
  assert.equal(await named('Width by height').inputValue(), '2.5')
  assert.equal(await named('Line of the trigger').inputValue(), 'current/m=1')
  assert.equal(await named('Trigger above').inputValue(), '18')
  assert.match(await textOf(page, '[aria-label=Trigger] ul'), /bus ≤ 45/)
  assert.match(await textOf(page, '.key.dotted'), /^SMA m2 2 s$/)
  assert.equal(await page.locator('.key[aria-pressed=false]').count(), 1)
  assert.deepEqual(await page.locator('.plot h2').allTextContents(), ['all', 'current'])
  assert.match(await textOf(page, '.scope-note'), /“sma=broken” can’t be read/)
  await named('Plot of the range').selectOption('current')
  assert.equal(await named('Least value').inputValue(), '0')

  await named('Greatest value').fill('30')
  await named('Greatest value').press('Enter')
  await eventually(() => query(page, 'y-range')[0] === 'current=0,30', 'the range is in the URL')
  await named('Least value').fill('40')
  await named('Least value').press('Enter')
  assert.equal(await named('Least value').getAttribute('aria-invalid'), 'true')
  await page.locator('.key', { hasText: 'm=1' }).click()
  await eventually(() => query(page, 'hide').length === 2, 'both lines are hidden')
  await page.goBack()
  await page.goBack()
  await eventually(() => query(page, 'y-range')[0] === 'current=0,25', 'back')
  assert.equal(await page.locator('.key[aria-pressed=false]').count(), 1)
  await named('Greatest value').waitFor()
  await until(page, `document.querySelector('[aria-label="Greatest value"]').value === '25'`)
  await page.reload()
  await until(page, hasText('.key b', /\d/))
  assert.deepEqual(query(page, 'trigger'), ['current/m=1=,18', 'bus=45,'])
  assert.equal(await page.locator('.key[aria-pressed=false]').count(), 1)
})

test('a link to a picture that stands still shows it from what the hub has kept', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [{ name: 'i', about: RED, usual: 10 }])
  const { page } = await open(t, {
    serve: exporter.serve,
    path: '/scope?time-window=4&y-range=p=0,100',
  })
  await until(page, hasText('.key b', /^10.A$/))
  await sleep(1500)
  exporter.spike('i', 77)
  await sleep(800)
  await page.keyboard.press('p')
  await until(page, isState('Paused'))
  const before = await redPeaks(page, 0, 100, 0.3)
  exporter.spike('i', 99, 99, 99)
  await sleep(1000)
  await page.reload()
  await until(page, isState('Paused'))
  await until(page, isDrawn(CANVAS))
  let after: Peak[] = []
  for (let i = 0; i < 50 && after.length === 0; i++) {
    await sleep(100)
    after = await redPeaks(page, 0, 100, 0.3)
  }
  assert.equal(before.length, 1)
  assert.equal(after.length, 1)
  assert.ok(Math.abs(after[0]!.at - before[0]!.at) < 0.01, `${after[0]!.at} ${before[0]!.at}`)
})

test('an exporter that goes is OFFLINE with all in place, and comes back with a gap', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [{ name: 'i', about: RED, usual: 60 }])
  const { page } = await open(t, {
    serve: exporter.serve,
    path: '/scope?time-window=20&y-range=p=0,100&trigger=p/i=,90',
  })
  await until(page, hasText('.key b', /^60.A$/))
  await until(page, hasText('.badge', /ONLINE/))
  await sleep(2500)
  const port = exporter.address
  await exporter.stop()
  await until(page, hasText('.badge', /OFFLINE/))
  assert.match(await textOf(page, '.scope-line'), new RegExp(`${port}.*OFFLINE.*since`))
  assert.ok((await redPeaks(page, 0, 100, 0.3)).length > 0, 'the line stays')
  assert.equal(await page.getByLabel('Trigger above').inputValue(), '90')
  await exporter.restart()
  await until(page, hasText('.badge', /ONLINE/))
  await sleep(1500)
  const places = (await redPeaks(page, 0, 100, 0.3, 0)).map(({ at }) => at)
  const gap = Math.max(...places.slice(1).map((at, i) => at - places[i]!))
  assert.ok(gap > 0.02, `the widest gap is ${gap} of the picture`)
})

test('a hub that is gone leaves the board as it is, and what was missed is read back', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { path: '/scope?series=queue.depth&series=api.requests' })
  await until(page, isDrawn(CANVAS))
  await until(page, hasText('.key b', /\d/))
  const plots = await page.locator('.plot').count()
  hub.goAway()
  await until(page, isState('Reconnecting'))
  assert.match(await textOf(page, '.badge'), /OFFLINE/)
  assert.equal(await page.locator('.plot').count(), plots)
  hub.comeBack()
  await tryNow(page)
  await until(page, isState('Live'))
  await until(page, hasText('.badge', /ONLINE/))
})

test('every series of every dialect can be put on the board', { skip }, async (t) => {
  const { page, hub } = await open(t, { path: '/scope?series=nothing-like-it' })
  await page.getByRole('heading', { name: 'Nothing to draw yet' }).waitFor()
  const add = page.getByLabel(/^Add series/)
  await add.fill('checkout.latency{route=/pay}')
  await add.press('Enter')
  await until(page, hasText('.plot h2', /checkout.latency/))
  assert.match(await textOf(page, '.key'), /^checkout\.latency\.p99\{route=\/pay\}/)
  const statistics = page.getByLabel(/^Statistics of distributions/)
  await statistics.fill('p50 p99.9 max')
  await statistics.press('Enter')
  await until(page, 'document.querySelectorAll(".key").length === 3')
  assert.deepEqual(query(page, 'quantile'), ['p50', 'p99.9', 'max'])
  await add.fill('gc-count')
  await add.press('Enter')
  await until(
    page,
    `[...document.querySelectorAll('.key')].some((each) =>
    each.innerText.includes('gc-count') && each.innerText.includes('/s'))`,
  )
  await hub.ticks(2)
  await until(
    page,
    `[...document.querySelectorAll('.key b')].every((each) => /\\d/.test(each.innerText))`,
  )
  await page.getByRole('button', { name: 'Remove the series gc-count' }).click()
  await until(page, 'document.querySelectorAll(".key").length === 3')
})

test('a series leads to the board; interval and colours are those of the link', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { path: '/series/queue.depth{queue=email}', theme: 'dark' })
  await page.getByRole('link', { name: 'Sample by sample, on the scope' }).click()
  await until(page, hasText('.key', /queue\.depth\{queue=email\}/))
  assert.deepEqual(query(page, 'series'), ['queue.depth{queue=email}'])
  await until(page, isDrawn(CANVAS))
  const intervals: number[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST') return
    intervals.push((request.postDataJSON() as { interval: number }).interval)
  })
  const path = '/scope?series=queue.depth&sampling-interval=0.25&theme=light'
  await page.goto(new URL(path, page.url()).href)
  await eventually(() => intervals.includes(0.25), 'the stream is asked for this interval')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light')
  await hub.ticks(2)
  await until(page, hasText('.key b', /\d/))
  await page.goto(new URL('/', page.url()).href)
  await page.locator('.cell').first().waitFor()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
})

test('everything is reached by keyboard alone', { skip }, async (t) => {
  const exporter = await startExporter(t, [
    { name: 'i', about: { plot: 'p' }, usual: 10 },
    { name: 'j', usual: 20 },
  ])
  const { page } = await open(t, { serve: exporter.serve, path: '/scope?time-window=10' })
  await until(page, hasText('.key b', /\d/))
  await sleep(1000)
  const keys = page.keyboard
  const tabTo = async (label: string): Promise<void> => {
    for (let i = 0; i < 80; i++) {
      await keys.press('Tab')
      const name = '(document.activeElement.ariaLabel ?? document.activeElement.innerText)'
      if (await page.evaluate(`${name} === ${JSON.stringify(label)}`)) return
    }
    assert.fail(`no way to ${label} by Tab`)
  }
  await keys.press('l')
  await until(page, `document.querySelectorAll('.key').length === 0`)
  assert.deepEqual(query(page, 'hide-legend'), ['true'])
  await keys.press('l')
  await until(page, `document.querySelectorAll('.key').length === 2`)
  await keys.press('ArrowLeft')
  await until(page, isState('Cursor'))
  await keys.press('+')
  await keys.press('Shift+ArrowLeft')
  await keys.press('Escape')
  await until(page, isState('Live'))
  await keys.press('0')
  await keys.press(']')
  await eventually(() => query(page, 'time-window').join() === '30', 'a wider window')
  await keys.press('1')
  await eventually(() => query(page, 'time-window').length === 0, 'the usual window')
  await tabTo('Line of the trigger')
  await keys.press('j')
  await tabTo('Trigger above')
  await keys.type('50')
  await keys.press('Enter')
  await eventually(() => query(page, 'trigger').length === 1, 'a trigger is set')
  // letters are text while a field has the focus
  await keys.type('lpn')
  assert.equal(await page.locator('.key').count(), 2)
  await keys.press('Escape')
  await tabTo('Line to put into a plot')
  await keys.press('i')
  await tabTo('Plot of the line')
  await keys.press('Control+a')
  await keys.type('j')
  await keys.press('Enter')
  await until(page, `document.querySelectorAll('.plot').length === 1`)
  assert.deepEqual(query(page, 'plot'), ['i=j'])
  await page.evaluate('document.activeElement.blur()')
  await keys.press('/')
  await keys.type('nothing like it')
  await until(page, hasText('.board', /No plot matches/))
  await keys.press('Control+a')
  await keys.press('Delete')
  await keys.press('Escape')
  await keys.press('p')
  await until(page, isState('Paused'))
  await keys.press('t')
  await page.getByRole('region', { name: /table/ }).first().waitFor()
  assert.equal(await page.locator('.boards tbody tr[aria-rowindex]').count(), 10)
})

test('plots are dragged, zoomed by the wheel, and a line is dragged into another plot', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [
    { name: 'i', about: RED, usual: 10 },
    { name: 'j', usual: 20 },
  ])
  const { page } = await open(t, { serve: exporter.serve, path: '/scope?y-range=p=0,100' })
  await until(page, hasText('.key b', /\d/))
  await sleep(1500)
  exporter.spike('i', 80)
  await sleep(2500)
  await page.keyboard.press('p')
  await until(page, isState('Paused'))
  const canvas = page.locator(RED_CANVAS)
  const box = (await canvas.boundingBox())!
  const peak = async (): Promise<Peak> => {
    await untilDrawn(page)
    return (await redPeaks(page, 0, 100, 0.3))[0]!
  }
  const before = await peak()
  await page.mouse.move(box.x + 300, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x + 250, box.y + 100, { steps: 4 })
  await page.mouse.move(box.x + 200, box.y + 100, { steps: 4 })
  await page.mouse.up()
  // a picture that ends at the newest sample goes no further
  assert.ok(Math.abs((await peak()).at - before.at) < 0.01)
  await page.mouse.move(box.x + box.width - 40, box.y + 100)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -400)
  await page.keyboard.up('Control')
  const zoomed = await peak()
  assert.ok(zoomed.at < before.at - 0.02, `${before.at} became ${zoomed.at}`)
  await eventually(() => query(page, 'zoom').length === 1, 'the zoom in the link')
  await page.reload()
  await until(page, isDrawn(CANVAS))
  const isAgain = async () => Math.abs(((await peak()) ?? before).at - zoomed.at) < 0.01
  for (let i = 0; i < 50 && !(await isAgain()); i++) await sleep(100)
  assert.ok(await isAgain())
  await page.mouse.dblclick(box.x + 200, box.y + 100)
  assert.ok(Math.abs((await peak()).at - before.at) < 0.01)
  await eventually(() => query(page, 'zoom').length === 0, 'a link without it')
  await page.locator('.key', { hasText: 'j' }).dragTo(canvas)
  await until(page, `document.querySelectorAll('.plot').length === 1`)
  assert.deepEqual(query(page, 'plot'), ['j=p'])
})

test('with less motion the board draws once a second, unless the person asks otherwise', {
  skip,
}, async (t) => {
  const exporter = await startExporter(t, [{ name: 'i', about: RED, usual: 10 }])
  const { page } = await open(t, { serve: exporter.serve, path: '/scope' })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await until(page, hasText('.key b', /\d/))
  await sleep(1500)
  const pictures = (): Promise<unknown> =>
    page.evaluate(`new Promise((resolve) => {
      const { prototype } = CanvasRenderingContext2D
      const { clearRect } = prototype
      let count = 0
      prototype.clearRect = function (...box) {
        count += 1
        return clearRect.apply(this, box)
      }
      setTimeout(() => {
        prototype.clearRect = clearRect
        resolve(count)
      }, 4000)
    })`)
  const calm = Number(await pictures())
  assert.ok(calm >= 2 && calm <= 10, `${calm} pictures in 4 s`)
  await page.getByLabel('Move as data comes').check()
  const smooth = Number(await pictures())
  assert.ok(smooth > 3 * calm, `${smooth} pictures in 4 s`)
})

test('of very many lines in one plot the picture stays on screen, and keys scroll', {
  skip,
}, async (t) => {
  const lines = Array.from({ length: 300 }, (_, i) => ({ name: `l${i}`, about: RED, usual: i }))
  const exporter = await startExporter(t, lines)
  const { page } = await open(t, { serve: exporter.serve, path: '/scope' })
  await until(page, `document.querySelectorAll('.key').length === 300`)
  await until(page, hasText('.key b', /^0.A$/))
  const box = (await page.locator(CANVAS).boundingBox())!
  assert.ok(box.y < 250 && box.y + box.height <= 900, JSON.stringify(box))
  assert.ok(box.width > 1000, 'one plot has the whole width')
  assert.match(await textOf(page, '.more-keys'), /^\+2\d\d$/)
  const last = page.locator('.key').nth(299)
  await last.focus()
  await until(page, `/^99.A$/.test(document.querySelectorAll('.key b')[299].innerText)`)
  await page.keyboard.press('Enter')
  await eventually(() => query(page, 'hide')[0] === 'p/l99', 'the line is hidden')
})

const LONG = 'k'.repeat(4000)

for (const width of [390, 1440]) {
  test(`hostile names and such of 4,000 characters break nothing at ${width} px`, {
    skip,
  }, async (t) => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '__proto__',
      'constructor',
      'a=b,c=1',
      '\u202egnp.exe',
      'new\nline\u0000',
      LONG,
    ]
    const exporter = await startExporter(t, [
      ...names.map((name) => ({ name, usual: 3 })),
      { name: 'in', about: { plot: `${LONG}p`, color: '#+1+2+3', unit: 'u'.repeat(200) } },
    ])
    const { page } = await open(t, { serve: exporter.serve, width })
    await page.goto(new URL('/scope', page.url()).href)
    await until(page, `document.querySelectorAll('.plot').length >= ${names.length}`)
    await until(page, hasText('.key b', /\d/))
    const wide = await page.evaluate(`(() => {
      const out = [...document.querySelectorAll('main *')].find((each) =>
        each.getBoundingClientRect().right > innerWidth + 1)
      if (document.documentElement.scrollWidth <= innerWidth) return ''
      return out?.outerHTML.slice(0, 200) ?? 'text of an element of its own width'
    })()`)
    assert.equal(wide, '')
    assert.equal(await page.locator('main img').count(), 0)
    await until(page, hasText('.scope-note', /is no colour/))
    await page.getByLabel('Line of the trigger').selectOption('__proto__')
    await page.getByLabel('Trigger above').fill('2')
    await page.getByLabel('Trigger above').press('Enter')
    await until(page, hasText('.trigger-state', /Stopped on __proto__ 3/))
  })
}
