/**
 * npm run pictures [-- all] [-- SECONDS]
 *
 * Makes docs/pictures: the demo in Chromium, in both themes, once its charts are full (70 s), and
 * at a terminal. With `all` every screen in four widths besides, and every terminal screen in two
 * sizes, in the folder `pictures`, which is not committed. The page is built first, so that they
 * show what there is.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { FakeHub } from '../test/browser/fake-hub.ts'
import type { Scene } from '../test/browser/invented.ts'
import { type Listeners, startHubProcess } from '../test/support/hub/hub-process.ts'
import { type TerminalScreen, type TerminalSize, takeTerminal } from './terminal-picture.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const WORDS = process.argv.slice(2)
const IS_ALL = WORDS.includes('all')
const SECONDS = Number(WORDS.find((word) => word !== 'all') ?? 70)
if (!(SECONDS >= 0)) throw new Error(`want: npm run pictures [-- all] [-- SECONDS], not ${WORDS}`)
const THEMES = ['light', 'dark'] as const
/** Widths of the window with its heights, in CSS pixels. */
const SIZES = [
  [390, 844],
  [1024, 768],
  [1440, 900],
  [2560, 1440],
] as const
const CHOSEN_SIZE = SIZES[2]
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
/** Time in which what a page has asked for is drawn, and drawn anew in other colours, ms. */
const DRAWN_MS = 3000
const RESIZED_MS = 700
/** Frames in which the charts of the largest window have had their turns. */
const FRAMES = 60

interface Screen {
  readonly path: string
  /** Keys that are pressed, once it is drawn. */
  readonly keys?: readonly string[]
  /** Longest wait for the picture to stand still, ms: an event of the demo comes every 17 s. */
  readonly heldMs?: number
}

/** A state of an invented hub. */
interface State extends Partial<Screen> {
  readonly scene: Scene
  /** Something that happens once the page is drawn. */
  readonly happen?: (hub: FakeHub) => void
}

/** Screens by their names: those of the documentation first. */
const CHOSEN: Readonly<Record<string, Screen>> = {
  overview: { path: '/' },
  series: { path: '/series/us.shop.pay.requestTime' },
  scope: { path: '/scope?time-window=10&trigger=current/motor1.current=,18', heldMs: 20_000 },
  wallaroo: { path: '/wallaroo/exchange' },
}
const OTHERS: Readonly<Record<string, Screen>> = {
  'overview-lines': { path: '/?density=lines' },
  'overview-table': { path: '/?density=table' },
  'overview-cursor': { path: '/', keys: ['ArrowLeft', 'ArrowLeft', 'ArrowLeft'] },
  'overview-paused': { path: '/', keys: ['p'] },
  'series-counter': { path: '/series/us.shop.cart.requests' },
  'series-gauge': { path: '/series/us.shop.email.queueDepth' },
  'series-tables': { path: '/series/us.shop.email.queueDepth?tables=1' },
  'series-before': { path: '/series/us.shop.pay.requestTime?before=60' },
  'scope-live': { path: '/scope' },
  'wallaroo-pipeline': { path: '/wallaroo/exchange/Orders' },
  'wallaroo-computation': { path: '/wallaroo/exchange/Orders/worker2/Check%20Limit' },
  'wallaroo-against': { path: '/wallaroo/exchange/-/worker2?against=worker3' },
  'wallaroo-original': { path: '/wallaroo/exchange/Orders?mode=compatible' },
  sources: { path: '/sources' },
  jump: { path: '/', keys: ['Control+k'] },
  keyboard: { path: '/', keys: ['?'] },
}
/** States that the demo never is in, from an invented hub. */
const STATES: Readonly<Record<string, State>> = {
  empty: { scene: 'empty' },
  limit: { scene: 'limit' },
  listener: { scene: 'listener' },
  many: { scene: 'many' },
  offline: { scene: 'busy', happen: (hub) => hub.goAway() },
  'offline-sources': { scene: 'busy', path: '/sources', happen: (hub) => hub.goAway() },
  'offline-scope': {
    scene: 'busy',
    path: '/scope?series=queue.depth',
    happen: (hub) => hub.goAway(),
  },
  stale: { scene: 'busy', path: '/?q=batch' },
  'stale-series': { scene: 'busy', path: '/series/batch.export.rows' },
  'no-match': { scene: 'busy', path: '/?q=nothing-like-it' },
}

/** Screens at a terminal, by their names: those of the documentation first. */
function terminalScreens({ http, text }: Listeners): Readonly<Record<string, TerminalScreen>> {
  const hub = `127.0.0.1:${http.port}`
  const run = (words: string): string => {
    return `'${process.execPath}' '${join(ROOT, 'bin/pentameter.js')}' ${words}`
  }
  return {
    top: { line: run(`top ${hub}`) },
    'scope-board': { line: run(`scope scope --hub ${hub}`) },
    'top-help': { line: run(`top ${hub}`), keys: ['?'] },
    'top-series': { line: run(`top ${hub} --filter pay.requestTime`), keys: ['\r'] },
    hist: { line: run(`hist us.shop.pay.requestTime --hub ${hub}`) },
    watch: { line: run(`watch us.shop.pay.requests --hub ${hub}`) },
    tap: { line: run(`tap ${text.port} --hub ${hub}`) },
    counters: { line: run(`counters monitor http://${hub}`) },
  }
}
const CHOSEN_TERMINAL = ['top', 'scope-board'] as const
const TERMINAL_SIZES: readonly TerminalSize[] = [
  { columns: 80, rows: 24 },
  { columns: 160, rows: 45 },
]

if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}; name it in CHROMIUM`)
execFileSync(process.execPath, [join(ROOT, 'tools/build.ts'), 'web'], { stdio: 'inherit' })
const hub = await startHubProcess('demo')
const { host, port } = hub.listeners.http
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
try {
  await setTimeout(SECONDS * 1000)
  const base = `http://${host}:${port}`
  const chosen = join(ROOT, 'docs/pictures')
  await take(browser, base, CHOSEN, { folder: chosen, sizes: [CHOSEN_SIZE] })
  const terminal = terminalScreens(hub.listeners)
  for (const name of CHOSEN_TERMINAL) {
    const path = join(chosen, `terminal-${name}.png`)
    await takeTerminal(browser, terminal[name]!, TERMINAL_SIZES[0]!, path)
  }
  if (IS_ALL) {
    const whole = { folder: join(ROOT, 'pictures'), sizes: SIZES }
    mkdirSync(whole.folder, { recursive: true })
    await take(browser, base, { ...CHOSEN, ...OTHERS }, whole)
    for (const [name, state] of Object.entries(STATES)) {
      await takeState(browser, name, state, whole)
    }
    for (const [name, screen] of Object.entries(terminal)) {
      for (const size of TERMINAL_SIZES) {
        const path = join(whole.folder, `terminal-${name}-${size.columns}.png`)
        await takeTerminal(browser, screen, size, path)
      }
    }
  }
} finally {
  await browser.close()
  await hub.stop()
}

interface Place {
  readonly folder: string
  readonly sizes: readonly (readonly [width: number, height: number])[]
}

/** Takes screens in both themes; names tell the width where there are several. */
async function take(
  browser: Browser,
  base: string,
  screens: Readonly<Record<string, Screen>>,
  place: Place,
  happen: () => void = () => {},
): Promise<void> {
  for (const [name, { path, keys = [], heldMs }] of Object.entries(screens)) {
    const [width, height] = place.sizes[0]!
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: THEMES[0] })
    await page.goto(base + path, { waitUntil: 'domcontentloaded' })
    await setTimeout(DRAWN_MS)
    if (heldMs !== undefined) {
      await page.locator('.clock .state', { hasText: 'Held' }).waitFor({ timeout: heldMs })
    }
    for (const key of keys) await page.keyboard.press(key)
    happen()
    await takeSizes(page, name, place)
    await page.close()
  }
}

async function takeSizes(page: Page, name: string, { folder, sizes }: Place): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height })
    // in a larger window there is more to ask for
    await setTimeout(DRAWN_MS)
    const size = sizes.length > 1 ? `-${width}` : ''
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      await setTimeout(RESIZED_MS)
      for (let frame = 0; frame < FRAMES; frame += 1) {
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
      }
      await page.screenshot({ path: join(folder, `${name}${size}-${theme}.png`) })
    }
  }
}

async function takeState(
  browser: Browser,
  name: string,
  { scene, path = '/', happen }: State,
  place: Place,
): Promise<void> {
  const hub = new FakeHub({ scene, page: join(ROOT, 'dist/web') })
  await hub.start()
  try {
    // the largest window first: what it has not read by then a lost hub can't tell it
    const sizes = [...place.sizes].reverse()
    const screens = { [`state-${name}`]: { path } }
    await take(browser, hub.url, screens, { ...place, sizes }, () => happen?.(hub))
  } finally {
    await hub.stop()
  }
}
