/** The page with very many series in Chromium: what is there, and what it costs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { buildPage, isDrawn, launch, skip } from '../../test/browser/browser.ts'
import { linesOf, Sender } from '../growth/stream.ts'
import { until } from '../measure/patience.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import type { AskedProgram } from '../receivers/receiver.ts'
import { startPageHub } from './live.ts'

/** Time until all that is asked for once has come. */
const SETTLE_MS = 15_000
/** A second is a step of the picture: a share is one of so many. */
const ROUND_MS = 10_000
const TRACE_MS = 5000
/** A screen that holds some three hundred lines. */
const WALL = { width: 2560, height: 2160 }
const USUAL = { width: 1440, height: 900 }
const MOVES_PER_SECOND = 10

export const DENSITIES = ['charts', 'lines', 'table'] as const

/** Costs of an open page. */
export interface OpenPage {
  readonly elements: number
  /** Of a core: the process that shows the page, all its threads. */
  readonly share: number
  /** Bytes a second that the hub sends it. */
  readonly bytes: number
}

/** Draws on a large screen. */
export interface Redrawn {
  readonly visible: number
  /** Processor time of the longest task, ms. */
  readonly longestMs: number
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly tdur?: number
}

export class LargePage {
  readonly #browser: Browser
  readonly #hub: AskedProgram
  readonly #folder: string
  readonly #stopFeed: () => void

  private constructor(browser: Browser, hub: AskedProgram, folder: string, stopFeed: () => void) {
    this.#browser = browser
    this.#hub = hub
    this.#folder = folder
    this.#stopFeed = stopFeed
  }

  /** Starts a hub whose series all change each second; a text says why that can't be. */
  static async start(series: number): Promise<LargePage | string> {
    if (skip !== false) return skip
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-page-'))
    await buildPage(folder)
    const hub = await startPageHub(folder)
    const own = await hub.ask('series')
    const sender = new Sender(hub.tcpPort)
    const writes = linesOf('histogram', series, 7)
    const timer = setInterval(() => void sender.send(writes), 1000)
    await until(async () => (await hub.ask('series')) >= own + series, 'all series')
    const stopFeed = (): void => {
      clearInterval(timer)
      sender.end()
    }
    return new LargePage(await launch(), hub, folder, stopFeed)
  }

  async open(density: (typeof DENSITIES)[number]): Promise<OpenPage> {
    const page = await this.#visit(density, USUAL)
    const session = await page.context().newCDPSession(page)
    let received = 0
    session.on('Network.dataReceived', ({ dataLength }) => {
      received += dataLength
    })
    await session.send('Network.enable')
    const pid = await this.#rendererOf()
    const [cpu, begin] = [cpuSeconds(pid), performance.now()]
    await wait(ROUND_MS)
    const seconds = (performance.now() - begin) / 1000
    const share = (cpuSeconds(pid) - cpu) / seconds
    const elements = (await page.evaluate('document.querySelectorAll("*").length')) as number
    await page.context().close()
    return { elements, share, bytes: received / seconds }
  }

  /** Moves a cursor through all charts of a large screen, which draws them all at each step. */
  async redraw(): Promise<Redrawn> {
    const page = await this.#visit('lines', WALL)
    const visible = (await page.evaluate(`(() => {
      const canvases = [...document.querySelectorAll('article canvas')]
      let step = 0
      setInterval(() => {
        const { left, top } = canvases[0].getBoundingClientRect()
        const at = { clientX: left + (step++ % 100), clientY: top + 4, bubbles: true }
        canvases[0].dispatchEvent(new PointerEvent('pointermove', at))
      }, ${1000 / MOVES_PER_SECOND})
      return canvases.filter((canvas) => canvas.getBoundingClientRect().top < innerHeight).length
    })()`)) as number
    const longestMs = await this.#longestTaskMs()
    await page.context().close()
    return { visible, longestMs }
  }

  async stop(): Promise<void> {
    this.#stopFeed()
    await this.#browser.close()
    await this.#hub.stop()
    rmSync(this.#folder, { recursive: true })
  }

  async #visit(density: string, viewport: typeof USUAL): Promise<Page> {
    const context = await this.#browser.newContext({ viewport })
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${this.#hub.udpPort}/?density=${density}`)
    await until(() => page.evaluate(isDrawn('.groups canvas')), 'a chart')
    await wait(SETTLE_MS)
    return page
  }

  /** Finds the process that has spent most: an unused one is kept ready beside it. */
  async #rendererOf(): Promise<number> {
    const session = await this.#browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    await session.detach()
    const renderers = processInfo.filter(({ type }) => type === 'renderer')
    const busiest = renderers.sort((a, b) => b.cpuTime - a.cpuTime)[0]
    return busiest!.id
  }

  async #longestTaskMs(): Promise<number> {
    const session = await this.#browser.newBrowserCDPSession()
    let longestUs = 0
    session.on('Tracing.dataCollected', ({ value }) => {
      for (const { name, ph, tdur = 0 } of value as unknown as TraceEvent[]) {
        if (ph === 'X' && name === 'RunTask') longestUs = Math.max(longestUs, tdur)
      }
    })
    const ended = new Promise<void>((resolve) => {
      session.once('Tracing.tracingComplete', () => resolve())
    })
    const includedCategories = ['disabled-by-default-devtools.timeline']
    const traceConfig = { includedCategories }
    await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig })
    await wait(TRACE_MS)
    await session.send('Tracing.end')
    await ended
    await session.detach()
    return longestUs / 1000
  }
}
