/**
 * Support for the browser tests: the page built once (built-page.ts), or for one file that is run
 * alone; the system's Chromium; and a guard on every page: no request leaves the origin, nothing
 * breaks the policy, no error is thrown.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { FakeHub } from './fake-hub.ts'
import type { Scene } from './invented.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/**
 * Longest wait for a thing that is to be: a bound for what never comes, not a claim of speed. On
 * two cores that others use as well a step of a test has taken 15 s.
 */
const PATIENCE_MS = 60_000
/** Variable with the folder of the page that was built for all files. */
export const PAGE_FOLDER = 'PENTAMETER_TEST_PAGE'
const VITE_CONFIG = fileURLToPath(new URL('../../src/web/vite.config.ts', import.meta.url))

/** Why the tests of this folder can't run here; printed with every one of them. */
export const skip = existsSync(CHROMIUM)
  ? false
  : `no Chromium at ${CHROMIUM}; install one, or name it in CHROMIUM`

/** What a lost connection or a busy hub alone write to the console; their tests expect that. */
const CONNECTION_LOST = /Failed to load resource: (net::ERR_|.* a status of 503 )/

export interface Visit {
  readonly page: Page
  readonly hub: FakeHub
  /** Paths with query of every request, in order. */
  readonly requests: readonly string[]
}

/** Something that serves the page, other than an invented hub. */
export interface Served {
  readonly url: string
  stop(): Promise<void>
}

export interface VisitOptions {
  readonly scene?: Scene
  /** A hub of the test's own; it is told the folder of the built page. */
  readonly serve?: (folder: string) => Promise<Served>
  readonly path?: string
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

export type Open = (context: TestContext, options?: VisitOptions) => Promise<Visit>

/** Call at the top of a test file. @returns opens a page on a hub of its own */
export function useBrowser(): Open {
  let browser: Browser
  let tab: Tab
  let folder = ''
  before(async () => {
    if (skip !== false) return
    folder = process.env[PAGE_FOLDER] ?? (await buildOwn())
    browser = await launch()
    const session = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await session.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    tab = { page, leave: async () => {} }
  })
  after(async () => {
    if (skip !== false) return
    await browser.close()
    if (process.env[PAGE_FOLDER] === undefined) rmSync(folder, { recursive: true })
  })
  return (context, options) => visit(context, tab, folder, options)
}

async function buildOwn(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-page-'))
  await buildPage(folder)
  return folder
}

/** Builds the page into a folder. */
export async function buildPage(folder: string): Promise<void> {
  // loaded by those who build alone: it takes a second
  const { build } = await import('vite')
  await build({ configFile: VITE_CONFIG, logLevel: 'warn', build: { outDir: folder } })
}

/** Starts a Chromium; {@link skip} says whether there is one. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}

interface Tab {
  readonly page: Page
  /** Ends the last visit, unless that has ended. */
  leave: () => Promise<void>
}

/**
 * Opens the page on a hub of the test's own. All tests of a file use one tab, because to make one
 * takes longer than many a test; what a test did to it is undone at the test's end.
 */
async function visit(
  context: TestContext,
  tab: Tab,
  folder: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const { scene = 'busy', path = '/', theme = 'dark', width = 1440, height = 900 } = options
  const { page } = tab
  // a test may visit several hubs, one after the other
  await tab.leave()
  const hub = new FakeHub({ scene, page: folder })
  if (options.serve === undefined) await hub.start()
  const served = (await options.serve?.(folder)) ?? hub
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'no-preference' })
  const requests: string[] = []
  const problems: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol === 'data:') return
    if (url.origin !== served.url) problems.push(`request to ${url.origin}`)
    requests.push(url.pathname + url.search)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isError = message.type() === 'error' || message.type() === 'warning'
    if (isError && !CONNECTION_LOST.test(message.text())) problems.push(message.text())
  })
  const end = async (): Promise<void> => {
    if (tab.leave !== end) return
    tab.leave = async () => {}
    try {
      await clear(page)
    } finally {
      await served.stop()
    }
    assert.deepEqual(problems, [], 'requests stay on the origin, the policy holds, no errors')
  }
  tab.leave = end
  context.after(end)
  await page.goto(served.url + path)
  return { page, hub, requests }
}

/** Leaves the page as it was before the test. Each hub has its own port, and so its own storage. */
async function clear(page: Page): Promise<void> {
  page.removeAllListeners('request')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  page.removeAllListeners('pageerror')
  page.removeAllListeners('console')
}

const POLL_MS = 40

/**
 * Waits until an expression of the page is true. Asked from outside: Playwright's own waiting
 * evaluates text within the page, which the policy refuses.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await page.evaluate(expression))) {
    assert.ok(Date.now() < deadline, `not within ${PATIENCE_MS} ms: ${expression}`)
    await setTimeout(POLL_MS)
  }
}

/** Waits until something outside of the page is true. */
export async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!isTrue()) {
    assert.ok(Date.now() < deadline, `not within ${PATIENCE_MS} ms: ${what}`)
    await setTimeout(POLL_MS)
  }
}

/** Waits until what the page was told so far is drawn. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
}

/** An expression: the first canvas of a selector has something drawn on it. */
export function isDrawn(selector: string): string {
  return `(() => {
    const canvas = document.querySelector(${JSON.stringify(selector)})
    if (!canvas || canvas.width === 0) return false
    const copy = document.createElement('canvas')
    copy.width = canvas.width
    copy.height = canvas.height
    const context = copy.getContext('2d', { willReadFrequently: true })
    context.drawImage(canvas, 0, 0)
    const { data } = context.getImageData(0, 0, copy.width, copy.height)
    return data.some((part, i) => i % 4 === 3 && part > 0)
  })()`
}

/** Asks the page to try the hub again now, unless it is about to by itself. */
export async function tryNow(page: Page): Promise<void> {
  await page.evaluate(
    `[...document.querySelectorAll('button')].find((it) => it.innerText === 'Try now')?.click()`,
  )
}

/** Text of an element with plain spaces. */
export async function textOf(page: Page, selector: string): Promise<string> {
  const text = await page.locator(selector).first().textContent()
  return (text ?? '').replace(/[\u00a0\u2002\u202f]/g, ' ').trim()
}
