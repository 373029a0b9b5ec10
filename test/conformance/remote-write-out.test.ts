/**
 * A hub writes to real stores, which end for some seconds while it goes on: what they have
 * at the end is, second by second, what was sent.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startHub } from '../../src/start-hub.ts'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { ENGINES, Engine, whyNoEngine } from '../support/outputs/engine.ts'
import { FREE_PORTS } from '../support/ports.ts'

const PATIENCE_MS = 60_000
/** Seconds for which the store is there, is not, and is there again. */
const SECONDS = [3, 5, 3] as const

for (const kind of ENGINES) {
  test(`${kind.name} has what a hub sent while it was there and while it was not`, {
    skip: whyNoEngine(kind) ?? false,
    timeout: 240_000,
  }, async (t) => {
    const engine = await Engine.start(kind)
    t.after(() => engine.stop())
    const queueFolder = mkdtempSync(join(tmpdir(), 'pentameter-queue-'))
    t.after(() => rmSync(queueFolder, { recursive: true, force: true }))
    const relay = [`remotewrite+http://127.0.0.1:${engine.port}/api/v1/write?hub=one`]
    const remotewrite = { emit: { queueFolder, repeatS: 240 } }
    const hub = await startHub({ config: { ...FREE_PORTS, relay, remotewrite } })
    t.after(() => hub.close())
    const text = { textPort: hub.addresses.text!.port }
    let sent = 0
    const observed: number[] = []
    const send = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds * 2; i++) {
        const [value, time] = [++sent, 2 ** (sent % 10)]
        observed.push(time)
        const lines = [`n:${value}|m`, `level:${-value}|g`, `t:${time}|h`]
        await sendTcp(text, [packet(`${lines.join('\n')}\n`)])
        await setTimeout(500)
      }
    }
    await send(SECONDS[0])
    await engine.end()
    await send(SECONDS[1])
    const { facts } = hub.sources().connections.find(isSender) ?? {}
    const peer = hub.sources().peers!.find(({ direction }) => direction === 'relay')!
    assert.equal(facts, undefined, 'it is not connected')
    assert.match(peer.message!, /ECONNREFUSED; it is tried again: [1-9]\d* samples wait/)
    await engine.run()
    await send(SECONDS[2])
    const total = (sent * (sent + 1)) / 2
    const last = async (selector: string): Promise<number> =>
      Number((await engine.raw(selector)).at(0)?.values.at(-1)?.[1])
    // a store shows the series of one request one after the other
    const endMs = Date.now() + PATIENCE_MS
    const comes = async (selector: string, expected: number): Promise<void> => {
      while ((await last(selector)) !== expected && Date.now() < endMs) await setTimeout(300)
      assert.equal(await last(selector), expected, selector)
    }
    await comes('n_total{hub="one"}', total)
    await comes('t_hist_count{hub="one"}', observed.length)
    const sum = observed.reduce((a, b) => a + b, 0)
    await comes('t_hist_sum{hub="one"}', sum)
    for (const le of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) {
      const below = observed.filter((value) => value <= le).length
      await comes(`t_hist_bucket{hub="one",le="${le}"}`, below)
    }
    await comes('level{hub="one"}', -sent)
    // every second that had something is there, once, with a total that is one of those sent
    const [series] = await engine.raw('n_total{hub="one"}')
    const values = series!.values.map(([, value]) => Number(value))
    assert.equal(values[0], 0)
    assert.deepEqual(
      values,
      [...new Set(values)].sort((a, b) => a - b),
    )
    const triangles = new Set(observed.map((_, i) => ((i + 1) * (i + 2)) / 2))
    assert.ok(
      values.slice(1).every((value) => triangles.has(value)),
      values.join(),
    )
    const times = series!.values.map(([timeS]) => timeS)
    const away = times.filter((timeS, i) => i > 1 && timeS - times[i - 1]! !== 1)
    assert.deepEqual(away, [], `no second is missing: ${times.join()}`)
    const sender = hub.sources().connections.find(isSender)!
    assert.equal(sender.facts.dropped, 0)
    assert.equal(sender.facts.refused, 0)
  })
}

function isSender({ dialect, openedBy }: { dialect: string; openedBy: string }): boolean {
  return dialect === 'remotewrite' && openedBy === 'hub'
}
