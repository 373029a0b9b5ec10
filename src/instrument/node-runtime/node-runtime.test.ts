import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import { metricsText } from '../metrics.ts'
import { CounterRegistry } from '../registry.ts'
import { NODE_RUNTIME, nodeRuntime } from './node-runtime.ts'

/** A registry whose time, and whose event loop's delay, are the test's. */
class Watched {
  readonly clock = new FakeClock()
  readonly registry = new CounterRegistry({ clock: this.clock })
  readonly source = nodeRuntime(this.registry, {
    clock: {
      monotonicNs: () => this.clock.monotonicNs(),
      wallMs: () => this.clock.wallMs(),
      after: (_, callback) => {
        this.running++
        this.#callback = callback
        return () => {
          this.running--
        }
      },
    },
  })
  running = 0
  #callback = (): void => {}

  open(intervalMs: number): CounterWindow[][] {
    const boundaries: CounterWindow[][] = []
    this.registry.open({ intervalMs, deliver: 'own' }, ({ windows }) => {
      boundaries.push([...windows])
    })
    return boundaries
  }

  /** The loop is late by this much for its sample of every 20 ms; then what is due runs. */
  lateBy(delayMs: number): void {
    this.clock.stall(20 + delayMs)
    this.running--
    this.#callback()
  }
}

function named(windows: readonly CounterWindow[] | undefined, name: string): CounterWindow {
  const found = windows?.find(({ counter }) => counter.name === name)
  assert.ok(found !== undefined, `${name} among ${windows?.map(({ counter }) => counter.name)}`)
  return found
}

function meanOf(window: CounterWindow): number {
  assert.equal(window.statistics.kind, 'mean')
  return window.statistics.kind === 'mean' ? window.statistics.mean : Number.NaN
}

suite('Node.Runtime', () => {
  test('no gauge is named like the count of a summary', () => {
    const { clock, registry } = new Watched()
    metricsText(registry)
    clock.advance(1000)
    const types = metricsText(registry).matchAll(/# TYPE (\S+) gauge/g)
    const gauges = Array.from(types, ([, name = '']) => name)
    assert.ok(gauges.includes('node_runtime_active_handles'), gauges.join())
    const wrong = gauges.filter((name) => name.endsWith('_count'))
    assert.deepEqual(wrong, [])
  })

  test('a registry that another thread serves refuses it, and keeps no part of it', () => {
    const joined = CounterRegistry.open(new CounterRegistry().share())
    for (let i = 0; i < 2; i++) {
      assert.throws(() => nodeRuntime(joined), { name: 'TypeError', message: /polling counters/ })
      assert.deepEqual(joined.sources, [])
    }
  })

  test('names, units and scales are those of System.Runtime where both have the counter', () => {
    const watched = new Watched()
    const boundaries = watched.open(1000)
    watched.clock.advance(1000)
    const known = [
      ['cpu-usage', 'CPU Usage', '%', 0],
      ['working-set', 'Working Set', 'MB', 0],
      ['gc-heap-size', 'GC Heap Size', 'MB', 0],
      ['gc-committed', 'GC Committed Bytes', 'MB', 0],
      ['total-pause-time-by-gc', 'Time paused by GC', 'ms', 0],
      ['active-timers', 'Number of Active Timers', '', 0],
    ] as const
    for (const [name, displayName, units, rateScaleSec] of known) {
      const { counter } = named(boundaries[0], name)
      assert.deepEqual(
        [counter.provider, counter.displayName, counter.units, counter.rateScaleSec],
        [NODE_RUNTIME, displayName, units, rateScaleSec],
      )
    }
    assert.equal(named(boundaries[0], 'gc-minor-count').counter.rateScaleSec, 60)
  })

  test('all counters have a value in every window, in one order, without an error', async () => {
    // the event loop has no utilisation before its first turn
    await new Promise((next) => setImmediate(next))
    const watched = new Watched()
    const boundaries = watched.open(1000)
    for (let second = 0; second < 3; second++) {
      watched.lateBy(10)
      watched.clock.advance(970)
    }
    const names = boundaries.map((windows) => windows.map(({ counter }) => counter.name))
    assert.equal(names.length, 3)
    assert.ok(names[0]!.length >= 25, `${names[0]}`)
    assert.equal(new Set(names[0]).size, names[0]!.length)
    assert.deepEqual(names[1], names[0])
    assert.deepEqual(names[2], names[0])
    assert.equal(watched.registry.counts.callback_errors, 0)
    const megabytes = meanOf(named(boundaries[0], 'working-set'))
    assert.ok(megabytes > 10 && megabytes < 100_000, `${megabytes} MB`)
  })

  test('sessions of 1 s and 2 s have the delays of their own windows, side by side', () => {
    const watched = new Watched()
    const short = watched.open(1000)
    const long = watched.open(2000)
    for (let i = 0; i < 10; i++) watched.lateBy(79)
    for (let i = 0; i < 39; i++) watched.lateBy(5)
    watched.clock.advance(35)
    const delays = (windows: CounterWindow[] | undefined) =>
      named(windows, 'event-loop-delay').statistics
    const steady = (count: number, mean: number) => {
      return { kind: 'mean', count, mean, deviation: 0, min: mean, max: mean }
    }
    assert.deepEqual([short.length, long.length], [2, 1])
    assert.deepEqual([delays(short[0]), delays(short[1])], [steady(10, 79), steady(39, 5)])
    const both = delays(long[0])
    assert.deepEqual(both.kind === 'mean' && [both.count, both.min, both.max], [49, 5, 79])
    const quantiles = (windows: CounterWindow[] | undefined) =>
      ['p50', 'p99'].map((name) => Math.round(meanOf(named(windows, `event-loop-delay-${name}`))))
    assert.deepEqual(
      [quantiles(short[0]), quantiles(short[1])],
      [
        [79, 79],
        [5, 5],
      ],
    )
    assert.equal(quantiles(long[0])[0], 5)
    assert.ok(quantiles(long[0])[1]! > 70)
  })

  test('nothing is measured before the first session, nor after the last', () => {
    const watched = new Watched()
    assert.equal(watched.running, 0)
    const sessions = [1000, 2000].map((intervalMs) =>
      watched.registry.open({ intervalMs, deliver: 'own' }, () => {}),
    )
    assert.equal(watched.running, 1)
    sessions[0]?.close()
    assert.equal(watched.running, 1)
    sessions[1]?.close()
    assert.equal(watched.running, 0)
    assert.equal(watched.clock.pending, 0)
  })

  test('a registry has one, and another when that was closed', () => {
    const { registry, source } = new Watched()
    assert.equal(nodeRuntime(registry), source)
    source.close()
    assert.notEqual(nodeRuntime(registry), source)
  })

  test('collections of the whole heap are counted as major, with their pauses', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const watched = new Watched()
    // the second time after a while in which nobody listened
    for (let time = 0; time < 2; time++) {
      const boundaries = watched.open(1000)
      collect()
      // Node tells of it in later turns of the loop
      for (let turn = 0; turn < 10; turn++) await new Promise((next) => setImmediate(next))
      watched.clock.advance(1000)
      const [count, pause, total] = [
        'gc-major-count',
        'gc-major-pause',
        'total-pause-time-by-gc',
      ].map((name) => named(boundaries[0], name).statistics)
      assert.ok(count?.kind === 'sum' && count.increment >= 1)
      assert.ok(pause?.kind === 'mean' && pause.count === count.increment && pause.min > 0)
      assert.ok(total?.kind === 'sum' && total.increment >= pause.max)
      assert.ok(meanOf(named(boundaries[0], 'time-in-gc')) > 0)
      watched.registry.closeSessions()
    }
  })
})

test('listening does not keep a process alive', () => {
  const program = `
    import { defaultRegistry } from './registry.ts'
    import { nodeRuntime } from './node-runtime/node-runtime.ts'
    nodeRuntime()
    defaultRegistry().open({ intervalMs: 1000, deliver: 'own' }, () => {})
    console.log('open', defaultRegistry().sessionCount)`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url), encoding: 'utf8', timeout: 20_000 },
  )
  assert.equal(status, 0, stderr)
  assert.equal(stdout, 'open 1\n')
})
