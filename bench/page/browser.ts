/** The page in Chromium: how soon it shows a chart, and what an hour does to its memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { buildPage, isDrawn, launch, skip } from '../../test/browser/browser.ts'
import { until } from '../measure/patience.ts'
import { Feed, startPageHub } from './live.ts'

/** As on the page for which its targets are set: 1440 × 900, all of them beside each other. */
export const PAGE_SERIES = 70
const VIEWPORT = { width: 1440, height: 900 }
const CHART = isDrawn('.cell canvas')
const POLL_MS = 5
/** The hour takes a minute and a half. */
export const SPEED = 40
const EARLY_S = 1500
const HOUR_S = 3600

/** Memory of a page after a full collection, in MiB. */
export interface PageMemory {
  readonly scriptMiB: number
  /** Of its renderer, by the system: all but shared libraries and files. */
  readonly processMiB: number
}

export interface PageHour {
  /** When all that it keeps is full. */
  readonly early: PageMemory
  readonly hour: PageMemory
  /** Seconds that the hub could not close by themselves, so that the page was told of fewer. */
  readonly missedS: number
}

export class PageBrowser {
  readonly #browser: Browser
  readonly #folder: string

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser
    this.#folder = folder
  }

  /** Builds the page and starts a browser; a text says why that can't be. */
  static async start(): Promise<PageBrowser | string> {
    if (skip !== false) return skip
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-page-'))
    await buildPage(folder)
    return new PageBrowser(await launch(), folder)
  }

  /** Milliseconds from the navigation to the first chart with something on it, nothing cached. */
  async firstChartMs(rounds: number): Promise<number[]> {
    const hub = await startPageHub(this.#folder)
    const feed = await Feed.start(hub, PAGE_SERIES)
    const times: number[] = []
    while (times.length < rounds) {
      const context = await this.#browser.newContext({ viewport: VIEWPORT })
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${hub.udpPort}/`, { waitUntil: 'commit' })
      await until(() => page.evaluate(CHART), 'a chart', POLL_MS)
      times.push(await page.evaluate('performance.now()'))
      await context.close()
    }
    feed.stop()
    await hub.stop()
    return times
  }

  /** What a page takes when everything that it keeps is full, and when it is an hour old. */
  async hour(): Promise<PageHour> {
    const hub = await startPageHub(this.#folder, SPEED)
    const feed = await Feed.start(hub, PAGE_SERIES)
    const context = await this.#browser.newContext({ viewport: VIEWPORT })
    const page = await context.newPage()
    const begin = performance.now()
    await page.goto(`http://127.0.0.1:${hub.udpPort}/`)
    await until(() => page.evaluate(CHART), 'a chart', POLL_MS)
    const at = async (second: number): Promise<PageMemory> => {
      await wait(begin + (second * 1000) / SPEED - performance.now())
      return this.#memoryOf(page)
    }
    const [early, hour] = [await at(EARLY_S), await at(HOUR_S)]
    const missedS = await missedSeconds(hub.udpPort)
    await context.close()
    feed.stop()
    await hub.stop()
    return { early, hour, missedS }
  }

  async #memoryOf(page: Page): Promise<PageMemory> {
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const scriptBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value
    await session.detach()
    const system = await this.#browser.newBrowserCDPSession()
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    await system.detach()
    const renderers = processInfo.filter(({ type }) => type === 'renderer')
    const anonymousKib = Math.max(...renderers.map(({ id }) => residentKib(id)))
    return { scriptMiB: scriptBytes / 2 ** 20, processMiB: anonymousKib / 2 ** 10 }
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    rmSync(this.#folder, { recursive: true })
  }
}

async function missedSeconds(httpPort: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${httpPort}/metrics`)
  return Number(/^pentameter_tick_missed_total (\d+)/m.exec(await answer.text())?.[1] ?? 0)
}

function residentKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)![1])
}
