import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterText } from '../../../../test/filters/hostile.ts'
import { assembleWat } from '../../../../test/filters/wat.ts'
import { seriesNamed } from '../../../../test/support/hub/hub.ts'
import { eventually, startFilterHub, withFile } from '../test/filter-hub.ts'

const DEFINE = `(import "env" "proxy_define_metric"
  (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))`

/** Text of a filter that counts each request under the name at 16, and then does something. */
function countingText(name: string, then = '(i32.const 0)'): string {
  const size = name.length
  return filterText({
    imports: DEFINE,
    more: `(data (i32.const 16) "${name}")`,
    onStart: `(call $define (i32.const 0) (i32.const 16) (i32.const ${size}) (i32.const 64))
      drop (i32.const 1)`,
    onRequest: `(drop (call $increment (i32.load (i32.const 64)) (i64.const 1))) ${then}`,
  })
}

function counting(name: string, then?: string): Promise<Uint8Array> {
  return assembleWat(countingText(name, then))
}

test('a filter that traps keeps its counts, and its neighbour goes on', async (context) => {
  await withFile('traps.wasm', await counting('trapped', 'unreachable'), async (traps) => {
    await withFile('good.wat', countingText('counted'), async (good) => {
      const started = await startFilterHub(context, [
        { name: 'traps', path: traps },
        { name: 'good', path: good },
      ])
      const { hub } = started
      await started.requests(5)
      await started.closeSecond()
      const bad = started.filter('traps')
      const { trap = 0, start_refused = 0, ...others } = bad.problems
      // every request that got an instance trapped; beyond ten starts a second none gets one
      assert.equal(trap + start_refused, bad.requests)
      assert.deepEqual(others, {})
      assert.ok(trap >= 5, `${trap} traps`)
      assert.equal(bad.requestsFailed, bad.requests)
      const total = (name: string): unknown => {
        const held = hub.total(seriesNamed(hub, name))
        return held.kind === 'counter' ? held.total : undefined
      }
      assert.equal(total('trapped'), trap)
      assert.equal(total('counted'), started.filter('good').requests)
      assert.deepEqual(started.filter('good').problems, {})
      const { refusals, sources } = hub.sources()
      const refused = (code: string): number =>
        refusals.find((each) => each.dialect === 'proxywasm' && each.code === code)?.count ?? 0
      // those of the closed seconds
      const told = refused('trap')
      assert.ok(told >= 5 && told <= trap, `${told} of ${trap} traps`)
      const errorsOf = new Map(sources.map(({ address, errors }) => [address, errors]))
      assert.equal(errorsOf.get('filter traps'), told + refused('start_refused'))
      assert.equal(errorsOf.get('filter good'), 0)
      await started.stop()
    })
  })
})

test('a filter that loops is ended, keeps its counts and is replaced', async (context) => {
  // on its third request, counted by the metric itself being read from memory
  const loop = `(global.set $turns (i32.add (global.get $turns) (i32.const 1)))
    (if (i32.eq (global.get $turns) (i32.const 3)) (then (loop $again (br $again))))
    (i32.const 0)`
  await withFile('loops.wasm', await counting('looped', loop), async (path) => {
    const started = await startFilterHub(context, [{ name: 'loops', path, callTimeoutMs: 100 }])
    const { hub } = started
    await eventually(() => [...hub.series].some(({ identity }) => identity.name === 'looped'), 'it')
    await started.requests(3)
    await eventually(() => started.filter('loops').problems.call_timeout === 1, 'the end')
    await started.requests(2)
    await started.closeSecond()
    const { requests, instances } = started.filter('loops')
    const total = hub.total(seriesNamed(hub, 'looped'))
    assert.deepEqual(total, { kind: 'counter', total: requests, decrements: 0 })
    assert.equal(instances >= 2, true)
    await started.stop()
  })
})

test('what is no filter is refused with the reason, and the hub runs on', async (context) => {
  await withFile('text.wasm', 'no wasm', async (path) => {
    const started = await startFilterHub(context, [
      { name: 'missing', path: '/nonexistent/filter.wasm' },
      { name: 'text', path },
    ])
    started.clock.advance(1000)
    assert.equal(started.hub.isReady, true)
    assert.equal(started.filter('missing').message, 'there is no such file')
    assert.match(started.filter('text').message ?? '', /^not a WebAssembly module/)
    const { refusals } = started.hub.sources()
    const refused = refusals.find(({ code }) => code === 'filter_refused')
    assert.deepEqual(refused, { dialect: 'proxywasm', code: 'filter_refused', count: 2 })
    assert.equal(started.log.filter((line) => line.startsWith('error filter ')).length, 2)
    await started.stop()
  })
})

test('what a filter counted up to the stop is in the last second', async (context) => {
  await withFile('good.wasm', await counting('counted'), async (path) => {
    const started = await startFilterHub(context, [{ name: 'good', path }])
    const { hub } = started
    await started.requests(3)
    await started.stop()
    const { id } = seriesNamed(hub, 'counted')
    const counted = hub.live
      .between(0, Number.MAX_SAFE_INTEGER)
      .reduce((sum, frame) => sum + deltaOf(frame.cell(id, 'counter')), 0)
    assert.equal(counted, started.filter('good').requests)
    assert.equal(started.filter('good').state, 'stopped')
  })
})

function deltaOf(cell: unknown): number {
  return Number((cell as { delta: bigint | number } | undefined)?.delta ?? 0)
}
