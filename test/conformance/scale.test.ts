/**
 * The plan of docs/scale.md with real stores: three hubs as processes, each with a state folder of
 * its own, write to two stores; a fourth is attached to them and reads their past from one. What is
 * lost when a store, a hub or its disk goes is what the table there says.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcess } from '../support/hub/hub-process.ts'
import { ENGINES, Engine, type RawSeries, whyNoEngine } from '../support/outputs/engine.ts'
import { freePort } from '../support/outputs/prometheus.ts'

const PATIENCE_MS = 60_000
/** Time after which the second of what was sent has been closed, and written into the queue. */
const CLOSED_MS = 2500
const NAMES = ['one', 'two', 'three'] as const
type Name = (typeof NAMES)[number]
const skip = ENGINES.map(whyNoEngine).find((why) => why !== undefined) ?? false

/** A hub of the plan: a process that can be killed and started again at the same ports. */
class PlannedHub {
  readonly name: string
  readonly flags: readonly string[]
  readonly state = mkdtempSync(join(tmpdir(), 'pentameter-scale-'))
  /** All that it was told to count. */
  sent = 0
  process: HubProcess | undefined
  httpPort = 0
  #textPort = 0

  constructor(name: string, flags: readonly string[]) {
    this.name = name
    this.flags = flags
  }

  async start(): Promise<void> {
    this.httpPort ||= await freePort()
    this.#textPort ||= await freePort()
    const ports = ['--http-port', String(this.httpPort), '--text-port', String(this.#textPort)]
    const former = process.env.XDG_STATE_HOME
    process.env.XDG_STATE_HOME = this.state
    try {
      this.process = await startHubProcess('serve', ...ports, ...this.flags)
    } finally {
      if (former === undefined) delete process.env.XDG_STATE_HOME
      else process.env.XDG_STATE_HOME = former
    }
  }

  async count(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await sendTcp({ textPort: this.#textPort }, [packet('n:1|m\n')])
      this.sent++
      await setTimeout(250)
    }
  }

  async kill(): Promise<void> {
    this.process!.signal('SIGKILL')
    await this.process!.ended
  }

  async close(): Promise<void> {
    await this.process?.stop()
    rmSync(this.state, { recursive: true, force: true })
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(`http://127.0.0.1:${this.httpPort}/api/v1/${path}`)).json()) as T
  }
}

/** Sums what a counter grew by, over its resets. */
function increaseOf({ values }: RawSeries): number {
  let last = Number(values[0]?.[1] ?? 0)
  let sum = last
  for (const [, text] of values.slice(1)) {
    const value = Number(text)
    sum += value < last ? value : value - last
    last = value
  }
  return sum
}

async function increaseAt(engine: Engine, name: string): Promise<number> {
  const [series] = await engine.raw(`n_total{hub="${name}"}`)
  return series === undefined ? 0 : increaseOf(series)
}

async function atLast(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; !(await isSo()); await setTimeout(300)) {
    assert.ok(Date.now() < endMs, what)
  }
}

/** Adds up what a hub shows of all that was counted since a time; undefined before it has any. */
async function sumShownBy(hub: PlannedHub, startMs: number): Promise<number | undefined> {
  const { series } = await hub.get<{ series: { id: number; name: string }[] }>('series')
  const id = series.find(({ name }) => name === 'n')?.id
  if (id === undefined) return undefined
  const query = `range?series=${id}&from=${startMs - 2000}&to=${Date.now()}&step=1`
  const { columns } = await hub.get<{ columns: [{ delta: number[] }] }>(query)
  return columns[0].delta.reduce((sum, each) => sum + (each ?? 0), 0)
}

suite('three hubs, two stores and a hub for all', { skip, timeout: 300_000 }, () => {
  test('lose what the plan says, and nothing else', async (t) => {
    const [store, second] = await Promise.all(ENGINES.map((kind) => Engine.start(kind)))
    t.after(() => Promise.all([store!.stop(), second!.stop()]))
    const relayOf = ({ url }: Engine, name: string): string => {
      return `remotewrite+${url}/api/v1/write?hub=${name}`
    }
    const hubs = Object.fromEntries(
      NAMES.map((name) => {
        const relays = [store!, second!].map((engine) => relayOf(engine, name))
        return [name, new PlannedHub(name, ['--no-history', '--relay', ...relays])]
      }),
    ) as Record<Name, PlannedHub>
    const all = Object.values(hubs)
    t.after(() => Promise.all(all.map((hub) => hub.close())))
    await Promise.all(all.map((hub) => hub.start()))
    const attached = all.map(({ httpPort }) => `pentameter://127.0.0.1:${httpPort}`)
    const past = ['--history', `promql+${store!.url}`]
    const page = new PlannedHub('page', [...past, '--attach', ...attached])
    t.after(() => page.close())
    await page.start()
    const startMs = Date.now()
    const arrive = (engine: Engine, names: readonly Name[] = NAMES): Promise<void> =>
      atLast(`all of ${names.join()} arrives`, async () => {
        const grown = await Promise.all(names.map((name) => increaseAt(engine, name)))
        return names.every((name, i) => grown[i] === hubs[name].sent)
      })

    await t.test('all of it arrives at both', async () => {
      await Promise.all(all.map((hub) => hub.count(8)))
      await arrive(store!)
      await arrive(second!)
    })

    await t.test('a store that is away for some seconds loses nothing', async () => {
      await store!.end()
      await Promise.all(all.map((hub) => hub.count(12)))
      await arrive(second!)
      await store!.run()
      await arrive(store!)
    })

    await t.test('a hub that is killed sends what waits when it starts again', async () => {
      await store!.end()
      await hubs.one.count(8)
      await setTimeout(CLOSED_MS)
      await hubs.one.kill()
      await hubs.one.start()
      await hubs.one.count(4)
      await store!.run()
      await arrive(store!)
      await arrive(second!)
      const [series] = await store!.raw('n_total{hub="one"}')
      const values = series!.values.map(([, value]) => Number(value))
      const resets = values.filter((value, i) => i > 0 && value < values[i - 1]!)
      assert.deepEqual(resets, [0], 'it begins anew, as a reset from nothing')
    })

    await t.test('the hub for all has every second, live and read from the store', async () => {
      const sent = all.reduce((sum, hub) => sum + hub.sent, 0)
      await setTimeout(CLOSED_MS)
      await store!.settle()
      await atLast('all of it is shown', async () => (await sumShownBy(page, startMs)) === sent)
      // of a hub that starts now all of it is past
      const next = new PlannedHub('next', past)
      t.after(() => next.close())
      await next.start()
      await next.count(1)
      await atLast('all of it is read', async () => {
        const sum = await sumShownBy(next, startMs)
        return sum === sent || sum === sent + next.sent
      })
    })

    await t.test('a disk that is lost takes what waited on it, and no more', async () => {
      const before = hubs.two.sent
      await store!.end()
      await hubs.two.count(8)
      await setTimeout(CLOSED_MS)
      await hubs.two.kill()
      rmSync(hubs.two.state, { recursive: true, force: true })
      await hubs.two.start()
      const after = 4
      await hubs.two.count(after)
      await store!.run()
      // the other store had it before
      await arrive(second!, ['two'])
      await atLast('what came later arrives', async () => {
        return (await increaseAt(store!, 'two')) === before + after
      })
      await arrive(store!, ['one', 'three'])
    })

    await t.test('a store that is killed goes on, its totals with it', async () => {
      await store!.end('SIGKILL')
      await hubs.three.count(4)
      await store!.run()
      await hubs.three.count(4)
      await atLast('the total is that of all', async () => {
        const [series] = await store!.raw('n_total{hub="three"}')
        return Number(series?.values.at(-1)?.[1]) === hubs.three.sent
      })
    })
  })
})
