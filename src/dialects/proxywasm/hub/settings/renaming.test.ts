import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { filterText } from '../../../../../test/filters/hostile.ts'
import { serve } from '../../../../../test/support/http-client.ts'
import { packet, sendUdp, seriesNamed, until } from '../../../../../test/support/hub/hub.ts'
import type { MetricsAnswer } from '../../http/api.ts'
import { startFilterHub, withFile } from '../../test/filter-hub.ts'

const ROUTE = '/api/v1/proxywasm/metrics'
/** Longer than a request takes, on a busy machine. */
const QUIET_MS = 200

/** Counts requests in `c`, observes 5 in `h`, and from the sixth request on counts in `d`, too. */
const FILTER = filterText({
  imports: `
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
    (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
    (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))`,
  more: '(data (i32.const 16) "chd")',
  onStart: `(i32.eqz (i32.or
    (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 160))
    (call $define (i32.const 2) (i32.const 17) (i32.const 1) (i32.const 164))))`,
  onRequest: `
    (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
    (drop (call $increment (i32.load (i32.const 160)) (i64.const 1)))
    (drop (call $record (i32.load (i32.const 164)) (i64.const 5)))
    (if (i32.ge_u (global.get $turns) (i32.const 6))
      (then
        (drop (call $define (i32.const 0) (i32.const 18) (i32.const 1) (i32.const 168)))
        (drop (call $increment (i32.load (i32.const 168)) (i64.const 1)))))
    (i32.const 0)`,
})

/** Defines thirty further names at every request; all threads define the same. */
const DEFINING = filterText({
  imports: `
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
    (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))`,
  onRequest: `
    (local $left i32)
    (local.set $left (i32.const 30))
    (loop $next
      (i32.store (i32.const 16) (i32.add (i32.const 0x30303030) (i32.or
        (i32.and (global.get $turns) (i32.const 63))
        (i32.shl (i32.shr_u (global.get $turns) (i32.const 6)) (i32.const 8)))))
      (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
      (drop (call $define (i32.const 0) (i32.const 16) (i32.const 4) (i32.const 32)))
      (drop (call $increment (i32.load (i32.const 32)) (i64.const 1)))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0)`,
})

async function started(context: TestContext, text: string, use: (parts: Served) => Promise<void>) {
  await withFile('f.wat', text, async (path) => {
    const parts = await served(context, path)
    await use(parts)
    await parts.stop()
  })
}

type Served = Awaited<ReturnType<typeof served>>

async function served(context: TestContext, path: string) {
  const filters = [
    { name: 'f', path },
    { name: 'g', path },
  ]
  const started = await startFilterHub(context, filters)
  const http = await serve(context, { view: started.hub })
  const change = (body: unknown) => http.ask(ROUTE, { method: 'POST', body: JSON.stringify(body) })
  const scrape = async (): Promise<string[]> => {
    const { text } = await http.ask('/metrics')
    return text.split('\n').filter((line) => /^(pw_[fg]_)?[cdh](_total|_count)/.test(line))
  }
  /** Samples of counters, and of the number of observations, when no request is under way. */
  const samples = async (): Promise<string[]> => {
    for (let before = await scrape(); ; ) {
      await setTimeout(QUIET_MS)
      const now = await scrape()
      if (now.join() === before.join()) return now
      before = now
    }
  }
  return { ...started, http, change, samples }
}

const sampleOf = (lines: readonly string[], name: string): number =>
  Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1])

test('names are changed while filters run: totals, beginnings and numbers stay', async (t) => {
  await started(
    t,
    FILTER,
    async ({ hub, requests, closeSecond, change, samples, filter, http }) => {
      await requests(4)
      await closeSecond()
      const before = await samples()
      const { id, firstSeenMs } = [...hub.series].find(
        ({ identity }) => identity.name === 'h' && identity.labels[0]![1] === 'g',
      )!
      assert.ok(sampleOf(before, 'c_total{filter="f"}') >= 4)
      const answer = (await change({ metricNames: 'prefix' })).json() as MetricsAnswer
      assert.equal(answer.settings.metricNames, 'prefix')
      const after = await samples()
      const sorted = before.map((line) =>
        line.replace(/^(\w+){filter="(.)"}/, 'pw_$2_$1{}').replace('{}', ''),
      )
      assert.deepEqual(after.toSorted(), sorted.toSorted())
      const record = seriesNamed(hub, 'pw.g.h')
      assert.deepEqual([record.id, record.firstSeenMs], [id, firstSeenMs])
      const info = (await http.ask(`/api/v1/series/${id}`)).json()
      assert.partialDeepStrictEqual(info, { name: 'pw.g.h', labels: [], firstSeenMs })

      // the metric that a filter defines only now has its prefix, too
      await requests(4)
      await closeSecond()
      const then = await samples()
      assert.equal(sampleOf(then, 'pw_f_c_total'), filter('f').requests)
      assert.ok(sampleOf(then, 'pw_g_d_total') >= 1)
      assert.ok(
        then.every((line) => line.startsWith('pw_')),
        then.join('; '),
      )

      await change({ metricNames: 'label' })
      await requests(1)
      await closeSecond()
      const again = await samples()
      assert.equal(sampleOf(again, 'c_total{filter="f"}'), filter('f').requests)
      assert.ok(
        again.every((line) => !line.startsWith('pw_')),
        again.join('; '),
      )
    },
  )
})

test('a name that another series has changes nothing, and is said', async (t) => {
  await started(t, FILTER, async ({ change, samples, ...parts }) => {
    const { hub, requests, closeSecond } = parts
    await requests(1)
    await sendUdp(parts, [packet('pw.g.h:1|h\n')])
    await until(() => [...hub.series].some(({ identity }) => identity.name === 'pw.g.h'))
    await closeSecond()
    const before = await samples()
    const { status, ...answer } = await change({ metricNames: 'prefix', workers: 2 })
    assert.equal(status, 409)
    const { error } = answer.json() as { error: { message: string } }
    const reason = 'another series has the name that it would get'
    assert.equal(error.message, `failed redefining metric "pw.g.h": ${reason}`)
    assert.deepEqual(await samples(), before)
    const kept = (await change({})).json() as MetricsAnswer
    assert.deepEqual([kept.settings.metricNames, kept.settings.workers], ['label', 1])
  })
})

test('threads that define while names change make each metric once, named like all', async (t) => {
  await started(t, DEFINING, async ({ hub, requests, closeSecond, change, filter }) => {
    await change({ workers: 3 })
    for (let i = 1; i <= 7; i++) {
      const metricNames = i % 2 === 1 ? 'prefix' : 'label'
      const [answer] = await Promise.all([change({ metricNames }), requests(3)])
      assert.equal(answer.status, 200)
    }
    await closeSecond()
    const identities = [...hub.series]
      .filter(({ source }) => source.startsWith('filter '))
      .map(({ identity }) => identity)
    assert.ok(identities.every(({ labels }) => labels.length === 0))
    const names = identities.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    assert.ok(names.every((name) => /^pw\.[fg]\./.test(name)))
    assert.equal(names.length, filter('f').series + filter('g').series)
    // what each thread has counted is in its metric, whatever that was called meanwhile
    const total = [...hub.series]
      .filter(({ source }) => source === 'filter f')
      .reduce((sum, record) => {
        const held = hub.total(record)
        return held.kind === 'counter' ? sum + Number(held.total) : sum
      }, 0)
    assert.equal(total, 30 * filter('f').requests)
  })
})
