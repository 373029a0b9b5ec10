/** Empty, broken and crowded hubs: what the page says then, and what goes on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { eventually, isDrawn, skip, textOf, tryNow, until, useBrowser } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()

test('an empty hub shows one line to send per dialect, to copy', { skip }, async (t) => {
  const { page } = await open(t, { scene: 'empty' })
  await page.getByText('The hub is listening. What arrives appears here').waitFor()
  const purpose = (name: string) => page.locator('.empty li', { hasText: name }).locator('p')
  assert.match((await purpose('Stats Hero').textContent()) ?? '', /^Send it one line/)
  assert.match((await purpose('Scope').textContent()) ?? '', /^Attach a viewer/)
  assert.match(
    (await purpose('Wallaroo').textContent()) ?? '',
    /^Join as a worker.* under Wallaroo:/,
  )
  assert.equal(await page.locator('.empty li').count(), 5)
  assert.equal(await page.locator('.meters').count(), 0, 'each is listed once')
  await page.getByRole('button', { name: 'Copy command for Wallaroo' }).click()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.equal(copied, 'machida --application-module celsius --metrics 127.0.0.1:5001')
})

test('where all that arrived was unreadable that is said, and Sources tell what it was', {
  skip,
}, async (t) => {
  const { page } = await open(t, {
    serve: async (webRoot) => {
      const hub = await serveHub(webRoot)
      for (const { port, host } of [hub.text, hub.stream, hub.stream]) {
        const socket = connect(port, host).on('error', () => {})
        socket.end('SSH-2.0-x\r\n')
        socket.resume()
        await once(socket, 'close')
      }
      return hub
    },
  })
  await page.getByRole('heading', { name: '3 messages arrived and could not be read' }).waitFor()
  assert.equal(await page.getByText('Nothing has arrived yet').count(), 0)
  assert.match(await textOf(page, '.meter:has-text("Stats Hero") .trouble'), /^1 error$/)
  await page.locator('.waiting').getByRole('button', { name: 'Scope' }).waitFor()
  assert.match(await textOf(page, '.unclaimed'), /^2 messages at tcp [\d.:]+ are of no dialect\. /)
  await page.locator('.empty').getByRole('link', { name: 'Sources' }).click()
  await page.locator('.message').nth(1).waitFor()
  const words = await page.locator('.message').allInnerTexts()
  assert.deepEqual(words.map((each) => /^No dialect\s+unclaimed\s+(\d)×/.exec(each)?.[1]).sort(), [
    '1',
    '2',
  ])
})

test('a lost hub is said with the time; charts go on and what was missed is read back', {
  skip,
}, async (t) => {
  const { page, hub, requests } = await open(t, { path: '/?q=api.requests' })
  await until(page, '/\\d/.test(document.querySelector(".cell .value")?.innerText ?? "")')
  hub.goAway()
  await page.locator('.banner.bad').waitFor()
  assert.match(
    await textOf(page, '.banner .words'),
    /^No connection to the hub since \d\d:\d\d:\d\d\. Trying again in \d s\. .* its history\.$/,
  )
  assert.equal(await textOf(page, '.clock .state'), 'Reconnecting')
  assert.match(
    (await page.locator('[role=alert]').textContent()) ?? '',
    /^No connection to the hub/,
  )
  const clock = await textOf(page, '.clock .follows')
  await until(page, `document.querySelector(".clock .follows").innerText !== '${clock}'`)
  await until(page, '/\\d/.test(document.querySelector(".cell .value")?.innerText ?? "")')
  hub.comeBack()
  const before = requests.length
  await tryNow(page)
  await until(page, 'document.querySelector(".clock .state").innerText === "Live"')
  await until(page, '!document.querySelector(".banner")')
  const isRange = (path: string): boolean => path.startsWith('/api/v1/range')
  if (!requests.slice(before).some(isRange)) {
    await page.waitForRequest((request) => isRange(new URL(request.url()).pathname))
  }
})

test('a hub that comes back as another one keeps every chart with its own points', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { path: '/?q=queue&sort=name' })
  const drawn = isDrawn('.cell canvas')
  await until(page, drawn)
  const names = async (): Promise<string[]> =>
    page.locator('.group:not(#unusual) a.title').evaluateAll((all) => all.map((a) => a.title))
  const before = await names()
  assert.ok(before.length >= 3, before.join())
  hub.goAway()
  await page.locator('.banner.bad').waitFor()
  hub.restart(({ kind, dialect }) => kind === 'gauge' || dialect !== 'statshero')
  await page.locator('.banner.warning', { hasText: 'started anew' }).waitFor()
  assert.match(
    await textOf(page, '.banner .words'),
    /^The hub was started anew at \d\d:\d\d:\d\d: totals began at 0 then\. What was drawn before/,
  )
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await until(page, '!document.querySelector(".banner")')
  await hub.ticks(2)
  assert.deepEqual(await names(), before, 'series that the new hub lacks stay, too')
  await until(page, drawn)
  hub.add('queue.published', 'counter', { queue: 'email' }, 96)
  await hub.ticks(3)
  assert.deepEqual(await names(), before)
  await until(
    page,
    `[...document.querySelectorAll('.cell')].every((cell) =>
      !cell.innerText.includes('published') || /\\d/.test(cell.querySelector('.value').innerText))`,
  )
})

test('a reached series limit is one amber banner and a word in the meter', { skip }, async (t) => {
  const { page } = await open(t, { scene: 'limit' })
  await page.locator('.banner').waitFor()
  assert.equal(
    await textOf(page, '.banner .words'),
    'Series limit of 127.0.0.1:8125 reached: 2 000 of 2 000. New names are refused, ' +
      'known ones go on. First refused: session.events{user=9c41f2}.',
  )
  assert.equal(await page.locator('.banner.bad').count(), 0)
  assert.equal(await textOf(page, '.meter .trouble'), 'series limit')
  await page.getByRole('link', { name: 'Show what was refused' }).click()
  await page.getByRole('heading', { name: 'Sources and errors' }).waitFor()
  assert.match(await textOf(page, '[aria-label="Limits"] tbody'), /311 refused/)
})

test('of several notices the worst is shown, with how many others there are', {
  skip,
}, async (t) => {
  const { page, hub } = await open(t, { scene: 'limit' })
  await page.locator('.banner.warning').waitFor()
  hub.goAway()
  await page.locator('.banner.bad').waitFor()
  assert.equal(await page.locator('.banner').count(), 1)
  await page.getByRole('button', { name: '1 more' }).click()
  const [first, second] = await page.locator('.banner .words').allInnerTexts()
  assert.match(first!, /^No connection to the hub/)
  assert.match(second!, /^Series limit of/)
  await page.getByRole('button', { name: 'Only this' }).click()
  assert.equal(await page.locator('.banner').count(), 1)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  assert.match(await textOf(page, '.banner .words'), /^Series limit of/)
  assert.equal(await page.locator('.others').count(), 0)
})

test('a listener that did not start is said, and that the others go on', { skip }, async (t) => {
  const { page } = await open(t, { scene: 'listener' })
  await page.locator('.banner.bad').waitFor()
  assert.equal(
    (await textOf(page, '.banner .words')).replace(/\d+ s\.$/, 'N s.'),
    'Listener wallaroo, scope on 127.0.0.1:5001 did not start: port is taken by another process. ' +
      'The other sources are not affected. Next try in N s.',
  )
  await page.getByRole('button', { name: 'Dismiss' }).click()
  assert.equal(await page.locator('.banner').count(), 0)
})

test('a silent series says when its last data came', { skip }, async (t) => {
  const { page } = await open(t, { path: '/?q=batch' })
  await until(page, '/last data 4.min ago/.test(document.querySelector(".cell .sub")?.innerText)')
  assert.ok(await page.locator('.cell .sub.warn').count())
})

test('scrolling changes what is subscribed', { skip }, async (t) => {
  const { page, hub } = await open(t, { path: '/?sort=name' })
  await until(page, isDrawn('.cell canvas'))
  const latest = (): readonly number[] => hub.subscriptions.at(-1) ?? []
  await eventually(() => latest().length > 4, 'the first charts are subscribed')
  const first = new Set(latest())
  assert.ok(first.size < hub.series.length / 2 + 10, `${first.size} of ${hub.series.length}`)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await eventually(
    () => latest().some((id) => !first.has(id)) && [...first].some((id) => !latest().includes(id)),
    'those that came are subscribed, those that left are not',
  )
})

test('an unknown series is said to be unknown', { skip }, async (t) => {
  const { page } = await open(t, { path: '/series/no.such{a=b}' })
  await page.getByText('No series has this name now.').waitFor()
  await page.getByRole('link', { name: 'Show all series' }).click()
  await page.locator('.cell').first().waitFor()
})

test('an overloaded hub is said on every screen, and its list is given all the same', {
  skip,
}, async (t) => {
  // Any process is larger.
  const config = { memoryBytesLimit: 2 ** 26 }
  const { page } = await open(t, { serve: (webRoot) => serveHub(webRoot, { config }) })
  await page.locator('.banner.bad').waitFor()
  const words =
    /^The hub is overloaded \(\d+ % of the memory\) and refuses large answers, new series/
  assert.match(await textOf(page, '.banner .words'), words)
  await page.getByText('Nothing has arrived yet').waitFor()
  await page.getByRole('link', { name: 'Show limits' }).click()
  assert.match(await textOf(page, '[aria-label=Listeners] .error, .error'), words)
})

test('a list that is refused is said in place of the charts, and asked for again', {
  skip,
}, async (t) => {
  const { page, requests } = await open(t, { path: '/series/nothing.yet' })
  await page.getByText('No series has this name now.').waitFor()
  let isRefusing = true
  await page.route(
    (url) => url.pathname === '/api/v1/series',
    (route) => {
      if (!isRefusing) return route.continue()
      const headers = { 'retry-after': '1', 'content-type': 'application/json' }
      const error = { code: 'busy', message: 'large answers are under way' }
      return route.fulfill({ status: 503, headers, body: JSON.stringify({ error }) })
    },
  )
  await page.reload()
  const told = 'The hub has not given its list of series: large answers are under way.'
  await page.getByText(told).waitFor()
  await page.goto(new URL('/', page.url()).href)
  await page.getByText(told).waitFor()
  isRefusing = false
  await page.locator('.groups .cell').first().waitFor()
  assert.equal(await page.getByText(told).count(), 0)
  assert.ok(requests.length > 0)
})
