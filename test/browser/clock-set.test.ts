/** The hub's wall clock is set back: charts go on at the new time, and the step is marked. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { type TestContext, test } from 'node:test'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { packet } from '../support/hub/hub.ts'
import { isDrawn, type Served, skip, until, useBrowser } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()
const HOUR_MS = 3_600_000

test('an hour back: the value and the chart go on, and the step is said', { skip }, async (t) => {
  let aheadMs = 0
  const clock: Clock = { ...systemClock, wallMs: () => systemClock.wallMs() + aheadMs }
  const serve = (webRoot: string): Promise<Served> => serveSteady(t, clock, webRoot)
  const { page } = await open(t, { serve, path: '/series/steady' })
  const shown = '/\\d/.test(document.querySelector(".now .value")?.innerText ?? "")'
  await until(page, shown)
  await until(page, isDrawn('canvas[aria-label^="Rate"], canvas'))
  const before = clock.wallMs()
  aheadMs = -HOUR_MS
  const clockText = (ms: number): string =>
    new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  // the minute may end meanwhile
  const minutes = [0, 1].map((more) => clockText(before - HOUR_MS + more * 60_000))
  await until(page, `/${minutes.join('|')}/.test(document.body.innerText)`)
  await until(page, shown)
  const answer = await page.evaluate('fetch("/api/v1/sources").then((r) => r.json())')
  const { clockSteps } = answer as { clockSteps: { stepMs: number }[] }
  assert.deepEqual(
    clockSteps.map(({ stepMs }) => Math.round(stepMs / 1000)),
    [-3600],
  )
})

/** A hub that hears of one counter ten times a second. */
async function serveSteady(t: TestContext, clock: Clock, webRoot: string): Promise<Served> {
  const hub = await serveHub(webRoot, { clock })
  const { host, port } = hub.text
  const sender = createSocket('udp4')
  const timer = setInterval(() => sender.send(packet('steady:5|m\n'), port, host), 100)
  t.after(() => {
    clearInterval(timer)
    sender.close()
  })
  return hub
}
