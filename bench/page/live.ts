/** Pages that watch a hub, and what they cost it; and a bare push of as many bytes. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { linesOf, Sender } from '../growth/stream.ts'
import { until } from '../measure/patience.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { type AskedProgram, forkProgram } from '../receivers/receiver.ts'

const ROUND_MS = 4000
const SETTLE_MS = 1000
/** Times a second that every series changes. */
const CHANGES_PER_SECOND = 10
/** Different ones, of as many digits each, before the first comes again. */
const VALUES = 7

export interface Pushed {
  /** Of a core. */
  readonly share: number
  /** To one page, in a second. */
  readonly bytes: number
}

/** A program that pushes to pages, with its pages. */
export interface Pushing {
  /** Steps in a second that a page is told of. */
  readonly stepsPerSecond: number
  round(): Promise<Pushed>
  stop(): Promise<void>
}

/** One look with pages, and one just before without. */
export interface Watched extends Pushed {
  /** Of a core, while there was no page. */
  readonly aloneShare: number
}

interface WatchedHub extends Pushing {
  round(): Promise<Watched>
}

/** A hub whose series all change ten times a second, all of them on every page. */
export async function startWatchedHub(series: number, pages: number): Promise<WatchedHub> {
  const hub = await startPageHub()
  const feed = await Feed.start(hub, series)
  const base = `http://127.0.0.1:${hub.udpPort}/api/v1`
  const ids = await seriesIds(base, series)
  const interval = 1 / CHANGES_PER_SECOND
  const address = `${base}/live?series=${ids.join(',')}&interval=${interval}`
  return {
    stepsPerSecond: CHANGES_PER_SECOND,
    async round() {
      const aloneShare = await shareOf(hub)
      const viewers = await startViewers(address, pages)
      // what a page is told first is no step
      await wait(SETTLE_MS)
      const pushed = await roundOf(hub, viewers, pages)
      await viewers.stop()
      await wait(SETTLE_MS)
      return { ...pushed, aloneShare }
    },
    async stop() {
      feed.stop()
      await hub.stop()
    },
  }
}

/** Writes of as many bytes to as many pages. */
export async function startBarePush(
  bytesPerSecond: number,
  stepsPerSecond: number,
  pages: number,
): Promise<Pushing> {
  const args = [Math.round(bytesPerSecond / stepsPerSecond), 1000 / stepsPerSecond]
  const push = await forkProgram('bare push', join(import.meta.dirname, 'push-process.ts'), [
    ...args.map(String),
  ])
  const viewers = await startViewers(`http://127.0.0.1:${push.udpPort}/`, pages)
  return {
    stepsPerSecond,
    round: () => roundOf(push, viewers, pages),
    async stop() {
      await viewers.stop()
      await push.stop()
    },
  }
}

/** @param speed how many times as fast its clock goes */
export function startPageHub(webRoot = '', speed = 1): Promise<AskedProgram> {
  const options = JSON.stringify({ ingestWorkers: 0 })
  const args = [options, webRoot, String(speed)]
  return forkProgram('hub', join(import.meta.dirname, 'hub-process.ts'), args)
}

/** Lines for each of many gauges, ten times a second. */
export class Feed {
  readonly #timer: NodeJS.Timeout
  readonly #sender: Sender

  /** @param values of all series, in turn: what stays the same is told no page */
  private constructor(sender: Sender, values: readonly (readonly Buffer[])[]) {
    this.#sender = sender
    let turn = 0
    const send = (): void => void sender.send(values[turn++ % values.length]!)
    this.#timer = setInterval(send, 1000 / CHANGES_PER_SECOND)
  }

  /** Resolves when the hub has all of them. */
  static async start(hub: AskedProgram, series: number): Promise<Feed> {
    const own = await hub.ask('series')
    const sender = new Sender(hub.tcpPort)
    const values = Array.from({ length: VALUES }, (_, i) => linesOf('gauge', series, 10 + i))
    const feed = new Feed(sender, values)
    await until(async () => (await hub.ask('series')) >= own + series, 'all series')
    return feed
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#sender.end()
  }
}

async function startViewers(address: string, pages: number): Promise<AskedProgram> {
  const file = join(import.meta.dirname, 'viewers-process.ts')
  const viewers = await forkProgram('viewers', file, [address, String(pages)])
  await until(async () => (await viewers.ask('connected')) === pages, `${pages} viewers`)
  return viewers
}

async function roundOf(program: AskedProgram, viewers: AskedProgram, pages: number) {
  const bytes = await viewers.ask('bytes')
  const share = await shareOf(program)
  return { share, bytes: ((await viewers.ask('bytes')) - bytes) / pages / (ROUND_MS / 1000) }
}

/** Of a core, in one round. */
async function shareOf({ pid }: AskedProgram): Promise<number> {
  const [cpu, begin] = [cpuSeconds(pid), performance.now()]
  await wait(ROUND_MS)
  return (cpuSeconds(pid) - cpu) / ((performance.now() - begin) / 1000)
}

async function seriesIds(base: string, count: number): Promise<number[]> {
  const answer = await fetch(`${base}/series?dialect=statshero&limit=${count}&filter=app.m`)
  const { series } = (await answer.json()) as { series: { id: number }[] }
  if (series.length !== count) throw new Error(`${series.length} series, want ${count}`)
  return series.map(({ id }) => id)
}
