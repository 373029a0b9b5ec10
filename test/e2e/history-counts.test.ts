/**
 * A hub with a history, whose series come and go, whose clock is set and which is started again:
 * whatever happens, each count is told once, in its second, and each series is listed or past.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { RangeAnswer } from '../../src/http/api.ts'
import { findPast } from '../../src/http/query/range/past.ts'
import { rangeJson } from '../../src/http/query/range/range.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import type { ThreadHistory } from '../../src/hub/history/thread/thread-history.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { packet, sendUdp, startHub, type TestHub, until } from '../support/hub/hub.ts'
import { holdsAsync } from '../support/property.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const EXPIRE_S = 10
const NAMES = ['a', 'b', 'c']
const STEPS_MS = [1000, 3000, 10_000, 60_000]
const BEGAN_MS = new FakeClock().startMs

type Event =
  | { readonly kind: 'send'; readonly names: readonly string[]; readonly seconds: number }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'set clock'; readonly byS: number }
  | { readonly kind: 'restart'; readonly afterS: number }

const EVENTS: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      names: fc.subarray(NAMES),
      seconds: fc.integer({ min: 1, max: 25 }),
    }),
  },
  fc.record({ kind: fc.constant('delete' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('set clock' as const), byS: fc.integer({ min: -90, max: 90 }) }),
  fc.record({ kind: fc.constant('restart' as const), afterS: fc.integer({ min: 1, max: 30 }) }),
)

/** A hub, and what it was told: counts by name and by the end of their second, Unix ms. */
class Bench {
  readonly #folder = mkdtempSync(join(ROOT, 'pentameter-counts-'))
  readonly #told = new Map<string, Map<number, number>>()
  #started!: TestHub
  #sent = 0

  async start(nowMs: number): Promise<void> {
    const clock = new FakeClock(nowMs)
    this.#started = await startHub({ expireAfterS: EXPIRE_S }, { clock })
    const options = { history: { path: this.#folder }, expireAfterS: EXPIRE_S }
    await openHistory(this.#started.hub, parseConfig(options, DIALECTS), [], () => {})
    await this.#second()
  }

  async stop(): Promise<void> {
    await this.#started.hub.stop()
    rmSync(this.#folder, { recursive: true })
  }

  async #second(names: readonly string[] = []): Promise<void> {
    const { hub, clock } = this.#started
    const endMs = 1000 * (Math.floor(clock.wallMs() / 1000) + 1)
    const lines = names.map((name) => {
      const count = 1 + (this.#sent++ % 9)
      const told = this.#told.get(name) ?? new Map<number, number>()
      this.#told.set(name, told.set(endMs, (told.get(endMs) ?? 0) + count))
      return `${name}:${count}|m\n`
    })
    if (lines.length > 0) await sendUdp(this.#started, [packet(lines.join(''))])
    const before = hub.live.newest
    clock.advance(1000)
    await until(() => hub.live.newest !== before)
  }

  async happen(event: Event): Promise<void> {
    const { hub, clock } = this.#started
    switch (event.kind) {
      case 'send':
        for (let i = 0; i < event.seconds; i++) await this.#second(event.names)
        break
      case 'delete':
        for (const record of [...hub.series]) {
          if (record.identity.name === event.name) hub.series.retire(record)
        }
        break
      case 'set clock':
        clock.setWall(event.byS * 1000)
        await this.#second()
        break
      case 'restart':
        await hub.stop()
        await this.start(clock.wallMs() + event.afterS * 1000)
    }
  }

  async check(): Promise<void> {
    const { hub, clock } = this.#started
    const history = hub.history as ThreadHistory
    // the sink has handed all seconds on, and the history has answered
    for (let turns = 0; turns < 5; turns++) {
      await pause(1)
      await until(() => history.waiting === 0)
    }
    const nowMs = clock.wallMs()
    const ids = new Map<string, number>()
    const listed = [...hub.series].filter(({ metadata }) => metadata.dialect !== 'hub')
    const span = { fromS: 0, toS: 2 ** 32, limit: 100 }
    const { series } = await hub.past!.find({ filter: 'dialect=statshero', ...span })
    for (const { identity, id } of [...listed, ...series]) {
      assert.ok(!ids.has(identity.name), `${identity.name} is listed once`)
      ids.set(identity.name, id)
    }
    for (const [name, told] of this.#told) {
      const id = ids.get(name)
      assert.notEqual(id, undefined, `${name} is listed, or past`)
      for (const stepMs of STEPS_MS) await this.#compare(id!, told, stepMs, nowMs)
    }
  }

  async #compare(
    id: number,
    told: ReadonlyMap<number, number>,
    stepMs: number,
    toMs: number,
  ): Promise<void> {
    const { hub } = this.#started
    const fromMs = Math.min(BEGAN_MS - 100_000, toMs - 1000)
    const { window, past } = await findPast(hub, { ids: [id], fromMs, toMs, stepMs })
    const answer = JSON.parse([...rangeJson(hub, [id], window, past)].join('')) as RangeAnswer
    const [column] = answer.columns
    assert.ok(column?.kind === 'counter')
    const wanted = new Array<number>(answer.length).fill(0)
    for (const [endMs, count] of told) {
      const step = Math.ceil((endMs - answer.fromMs) / answer.stepMs) - 1
      if (step >= 0 && step < wanted.length) wanted[step]! += count
    }
    assert.deepEqual(column.delta.map(Number), wanted, `steps of ${stepMs} ms`)
  }
}

test('each count is told once, whatever comes and goes', async () => {
  const events = fc.array(EVENTS, { minLength: 2, maxLength: 12 })
  await holdsAsync(
    fc.asyncProperty(events, async (happened) => {
      const bench = new Bench()
      await bench.start(BEGAN_MS)
      try {
        for (const event of happened) {
          await bench.happen(event)
          await bench.check()
        }
      } finally {
        await bench.stop()
      }
    }),
    8,
  )
})
