/**
 * What hubs wrote to real stores is read back through the contract of histories: three hours at
 * times of the test, read at any step; and what a hub wrote by itself, over the end and the next
 * start of the store.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startHub } from '../../src/start-hub.ts'
import { historyReadingSuite } from '../suites/history.ts'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { ENGINES, Engine, whyNoEngine } from '../support/outputs/engine.ts'
import { writtenHistory } from '../support/outputs/written-history.ts'
import { FREE_PORTS } from '../support/ports.ts'

for (const kind of ENGINES) {
  for (const form of kind.forms) {
    suite(`${kind.name} with ${form} histograms`, () => {
      const engines: Engine[] = []
      after(() => Promise.all(engines.map((engine) => engine.stop())))
      const open = async () => {
        const engine = await Engine.start(kind)
        engines.push(engine)
        const startS = Math.floor(Date.now() / 3_600_000) * 3600 - 3 * 3600
        const history = writtenHistory(engine.url, startS, form)
        const send = async () => {
          await history.send()
          await engine.settle()
        }
        return { ...history, send }
      }
      historyReadingSuite(open, { skip: whyNoEngine(kind) ?? false, timeout: 240_000 })
    })
  }
}

for (const kind of ENGINES) {
  test(`what a hub wrote to ${kind.name}, which ended meanwhile, is in its history`, {
    skip: whyNoEngine(kind) ?? false,
    timeout: 240_000,
  }, async (t) => {
    const engine = await Engine.start(kind)
    t.after(() => engine.stop())
    const queueFolder = mkdtempSync(join(tmpdir(), 'pentameter-queue-'))
    t.after(() => rmSync(queueFolder, { recursive: true, force: true }))
    const startMs = Date.now()
    const writes = {
      relay: [`remotewrite+http://127.0.0.1:${engine.port}/api/v1/write?hub=one`],
      remotewrite: { emit: { queueFolder } },
    }
    const history = { path: `promql+http://127.0.0.1:${engine.port}` }
    const hub = await startHub({ config: { ...FREE_PORTS, ...writes, history } })
    t.after(() => hub.close())
    assert.deepEqual(hub.sources().history, {
      ...{ place: history.path, state: 'running', isRead: true, isWritten: true },
    })
    const text = { textPort: hub.addresses.text!.port }
    let sent = 0
    const send = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        const lines = [`n:${++sent}|m`, `level:${-sent}|g`, `t:${2 ** (sent % 10)}|h`]
        await sendTcp(text, [packet(`${lines.join('\n')}\n`)])
        await setTimeout(700)
      }
    }
    await send()
    await engine.end()
    await send()
    await engine.run()
    await send()
    // the next start remembers nothing by itself: what it shows was read
    await hub.close()
    await engine.settle()
    // a column is of one of both: the second in which one ended is the other's that begins in it
    await setTimeout(1000)
    const next = await startHub({ config: { ...FREE_PORTS, history } })
    t.after(() => next.close())
    await sendTcp({ textPort: next.addresses.text!.port }, [packet('n:0|m\nlevel:0|g\nt:1|h\n')])
    const base = `http://127.0.0.1:${next.addresses.http!.port}/api/v1`
    const columns = await untilRead(base, startMs, sent)
    const deltas = columns.counter!.delta!.map((delta) => delta ?? 0)
    assert.equal(
      deltas.reduce((a, b) => a + b, 0),
      (sent * (sent + 1)) / 2,
    )
    assert.ok(columns.gauge!.value!.includes(-sent))
    const counts = columns.histogram!.cells!.map((cell) => cell?.count ?? 0)
    // the one of this start is in its live part, or not yet closed
    const count = counts.reduce((a, b) => a + b, 0)
    assert.ok(count === sent || count === sent + 1, String(counts))
  })
}

interface Columns {
  readonly kind: string
  readonly delta?: readonly (number | null)[]
  readonly value?: readonly (number | null)[]
  readonly cells?: readonly ({ readonly count: number } | null)[]
}

/** Reads the range of three series once the engine shows all increments. */
async function untilRead(base: string, startMs: number, sent: number) {
  const get = async <T>(path: string): Promise<T> => (await fetch(`${base}/${path}`)).json() as T
  for (const endMs = Date.now() + 30_000; ; await setTimeout(300)) {
    const { series } = await get<{ series: { id: number; name: string }[] }>('series')
    const ids = ['n', 'level', 't'].map((name) => series.find((each) => each.name === name)?.id)
    if (!ids.includes(undefined)) {
      const asked = `series=${ids.join()}&from=${startMs - 2000}&to=${Date.now()}&step=1`
      const { columns } = await get<{ columns: Columns[] }>(`range?${asked}`)
      const found = Object.fromEntries(columns.map((each) => [each.kind, each]))
      const all = found.counter?.delta?.reduce<number>((sum, each) => sum + (each ?? 0), 0)
      if (all === (sent * (sent + 1)) / 2) return found
      assert.ok(Date.now() < endMs, `all is read, not only ${all}`)
    }
    assert.ok(Date.now() < endMs, 'the series are there')
  }
}
