/** The document's store: options, definitions, recording, reading and change of sizes. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import type { MetricDefinition } from './definition.ts'
import { MetricStore } from './metric-store.ts'
import type { StoreOptions } from './options.ts'

suite('options', () => {
  for (const [options, message] of [
    [{ maxMetricNameLength: 5 }, 'value too small (min: 6)'],
    [{ maxMetricNameLen: 5 }, 'value too small (min: 6)'],
    [{ maxMetricNameLength: 6.5 }, 'maxMetricNameLength 6.5 is not an integer of 6 to 65535'],
    [{ slabSize: '4k' }, 'shm size of 4096 bytes is too small, minimum required is 12288 bytes'],
    [{ slabSize: 'much' }, 'invalid shm size "much"'],
    [{ workers: 0 }, 'workers 0 is not an integer of 1 to 1024'],
    [{ workers: 300 }, 'workers 300 is above workersLimit 256'],
    [{ profile: 'mine' }, 'profile "mine" is not one of document, peer'],
    [{ host: 'apache' }, 'host "apache" is not one of spec, nginx, envoy'],
    [{ histogram: 'wide' }, 'histogram "wide" is not one of dense, expanding'],
    [{ onFull: 'wait' }, 'onFull "wait" is not one of grow, error'],
    [{ metricsPerFilterLimit: 0 }, 'metricsPerFilterLimit 0 is not an integer of 1 to 16777216'],
  ] as const) {
    test(`${JSON.stringify(options)} is refused: ${message}`, () => {
      const create = () => MetricStore.create(options as StoreOptions)
      assert.throws(create, { name: 'RangeError', message })
    })
  }
})

suite('definitions', () => {
  test('the same definition is the same metric, in every thread that opened the store', () => {
    const store = MetricStore.create()
    const other = MetricStore.open(structuredClone(store.shared))
    const definition = { filter: 'f', name: 'c', type: 'counter' } as const
    assert.equal(store.define(definition), other.define(definition))
    assert.equal(store.find(definition), other.find(definition))
    assert.equal(store.find({ ...definition, name: 'd' }), -1)
  })

  test('a name stands for one type, one mode and one list of bounds; the first stays', () => {
    const store = MetricStore.create({ profile: 'peer' })
    const define = (definition: Partial<MetricDefinition>) => () =>
      store.define({ name: 'm', type: 'counter', ...definition })
    define({})()
    assert.throws(define({ type: 'gauge' }), {
      name: 'RangeError',
      message: 'metric "m" is a counter',
    })
    define({ name: 'g', type: 'gauge' })()
    assert.throws(define({ name: 'g', type: 'gauge', mode: 'sum' }), /is a gauge of mode last/)
    define({ name: 'h', type: 'histogram', bounds: [1, 5] })()
    assert.throws(define({ name: 'h', type: 'histogram', bounds: [1, 6] }), /with bounds 1, 5/)
    assert.equal(store.counts().redefinition, 3)
    assert.deepEqual(store.get(store.find({ name: 'm', type: 'counter' })), {
      type: 'counter',
      value: 0,
    })
  })

  test('under envoy a filter’s name stands for one metric of each type, in its own naming', () => {
    const store = MetricStore.create({ host: 'envoy' })
    const define = (type: 'counter' | 'gauge') => store.define({ filter: 'f', name: 'x', type })
    const metrics = [define('counter'), define('gauge')]
    assert.notEqual(metrics[0], metrics[1])
    const worker = store.attach()
    worker.increment(metrics[0]!, 2)
    worker.record(metrics[1]!, 7)
    assert.deepEqual(store.snapshot(), {
      'wasmcustom.x': { type: 'counter', value: 2 },
      'wasmcustom.x#gauge': { type: 'gauge', value: 7 },
    })
    assert.deepEqual(store.getByName('wasmcustom.x'), { type: 'counter', value: 2 })
    store.close()
  })

  test('under envoy a profile that was asked for keeps the names of that edition', () => {
    const store = MetricStore.create({ host: 'envoy', profile: 'peer' })
    store.define({ filter: 'f', name: 'x', type: 'counter' })
    assert.deepEqual([...store.keys()], [['pw:f:x']])
    assert.deepEqual(store.getByName('pw:f:x'), { type: 'counter', value: 0 })
  })

  for (const [definition, message] of [
    [{ type: 'counter', mode: 'sum' }, /a counter has no mode/],
    [{ type: 'gauge', bounds: [1] }, /a gauge has neither bounds nor a sum/],
    [{ type: 'gauge', filter: 'f', mode: 'max' }, /mode of a filter’s gauge/],
    [{ type: 'histogram', filter: 'f', bounds: [1] }, /a filter’s histogram has no bounds/],
    [{ type: 'histogram', filter: 'f', sum: 'f64' }, /only an application’s histogram/],
    [{ type: 'histogram', bounds: [1], sum: 'f64' }, /bounds of its own are of integers/],
    [{ type: 'histogram', bounds: [] }, /opts\.bins must be an ascending list/],
    [{ type: 'histogram', bounds: [2, 2] }, /opts\.bins must be an ascending list/],
    [{ type: 'histogram', bounds: [4294967295] }, /opts\.bins must be an ascending list/],
    [{ type: 'timer' }, /type "timer" is not counter, gauge or histogram/],
  ] as const) {
    test(`${JSON.stringify(definition)} is refused: ${message}`, () => {
      const store = MetricStore.create({ profile: 'peer' })
      assert.throws(() => store.define({ name: 'm', ...definition } as MetricDefinition), message)
      assert.deepEqual([...store.metrics()], [])
    })
  }

  test('bounds of a definition’s own are unknown in profile document', () => {
    const store = MetricStore.create()
    const definition = { name: 'h', type: 'histogram', bounds: [1] } as const
    assert.throws(() => store.define(definition), /profile peer only/)
  })

  test('a name that is too long is refused in the original’s words, and counted', () => {
    const store = MetricStore.create({ maxMetricNameLength: 10 })
    const define = (name: string) => () => store.define({ filter: 'f', name, type: 'counter' })
    assert.throws(define('c12345'), {
      name: 'RangeError',
      message: 'could not define metric: name "c12345" too long',
    })
    define('c1234')()
    assert.equal(store.counts().nameTooLong, 1)
  })

  test('a full zone refuses what is new; what is there goes on counting', () => {
    const store = MetricStore.create({ onFull: 'error', slabSize: '12k' })
    const first = store.define({ name: 'first', type: 'counter' })
    const worker = store.attach()
    const defineMany = () => {
      for (let i = 0; i < 1000; i++) store.define({ name: `h${i}`, type: 'histogram' })
    }
    assert.throws(defineMany, {
      name: 'ZoneFullError',
      message: /^could not define metric "h\d+": no memory \(increase "slab_size" directive\)$/,
    })
    assert.equal(worker.increment(first, 3), true)
    assert.deepEqual([store.get(first)?.value, store.counts().zoneFull], [3, 1])
    store.close()
  })

  test('a filter that defines without end meets its own limit, others do not', () => {
    const store = MetricStore.create({ metricsPerFilterLimit: 3 })
    const define = (filter: string, name: string) => store.define({ filter, name, type: 'counter' })
    const metrics = ['a', 'b', 'c'].map((name) => define('greedy', name))
    assert.throws(() => define('greedy', 'd'), { name: 'ZoneFullError' })
    assert.equal(define('greedy', 'a'), metrics[0])
    define('other', 'd')
    assert.equal(store.counts().filterLimit, 1)
    assert.equal(store.retire(metrics[0]!), true)
    define('greedy', 'd')
  })

  test('a filter that is started again has no more metrics than it had', () => {
    for (const profile of ['document', 'peer'] as const) {
      const store = MetricStore.create({ metricsPerFilterLimit: 2, profile })
      const define = (from: MetricStore, filter: string, name: string) =>
        from.define({ filter, name, type: 'counter' })
      define(store, 'greedy', 'a')
      define(store, 'greedy', 'b')
      const again = MetricStore.open(store.shared)
      assert.throws(() => define(again, 'greedy', 'c'), { name: 'ZoneFullError' })
      assert.equal(define(again, 'greedy', 'b'), 1)
      define(again, 'greed', 'a')
    }
  })

  test('names that are no UTF-8 are metrics of their own, in a snapshot too', () => {
    const store = MetricStore.create()
    const worker = store.attach()
    for (const byte of [0xff, 0xfe, 0xfd]) {
      worker.increment(store.define({ name: Uint8Array.of(0x78, byte), type: 'counter' }), byte)
    }
    const values = Object.values(store.snapshot()).map(({ value }) => value)
    assert.deepEqual(values, [0xff, 0xfe, 0xfd])
    store.close()
  })
})

suite('recording', () => {
  const NONSENSE = [
    ...[Number.NaN, -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, -1n, 1n << 64n],
    // From callers without types.
    ...(['5', null, {}] as unknown[] as number[]),
  ]

  test('what is no unsigned integer is dropped and counted, never thrown', () => {
    const store = MetricStore.create()
    const worker = store.attach()
    const metrics = (['counter', 'gauge', 'histogram'] as const).map((type) =>
      store.define({ name: type, type }),
    )
    for (const metric of metrics) {
      for (const value of NONSENSE) assert.equal(worker.record(metric, value), false, `${value}`)
    }
    for (const value of NONSENSE) assert.equal(worker.increment(metrics[0]!, value), false)
    assert.equal(store.counts().droppedValue, 4 * NONSENSE.length)
    for (const metric of metrics) {
      const held = store.get(metric)
      const bins = held?.type === 'histogram' ? held.value : undefined
      assert.deepEqual(bins ?? held?.value, bins === undefined ? 0 : [{ ub: 4294967295, count: 0 }])
    }
    store.close()
  })

  test('a retired metric, a closed store and a number that is none drop what they are told', () => {
    const store = MetricStore.create()
    const worker = store.attach()
    const [kept, gone] = ['kept', 'gone'].map((name) => store.define({ name, type: 'counter' }))
    const handle = worker.handle(gone!)
    const keptHandle = worker.handle(kept!)
    keptHandle.increment()
    assert.equal(store.retire(gone!), true)
    assert.equal(handle.increment(), false)
    assert.equal(worker.increment(gone!), false)
    assert.equal(worker.record(12_345, 1), false)
    assert.equal(store.get(gone!), undefined)
    store.close()
    assert.equal(keptHandle.increment(), false)
    assert.equal(worker.increment(kept!), false)
    assert.deepEqual([store.get(kept!)?.value, store.counts().droppedValue], [1, 5])
  })

  test('a counter that is set lower began anew, which is counted: its total never falls', () => {
    const store = MetricStore.create()
    const metric = store.define({ filter: 'f', name: 'c', type: 'counter' })
    const [a, b] = [store.attach(), store.attach()]
    a.increment(metric, 5)
    b.increment(metric, 5)
    assert.equal(b.record(metric, 3), true)
    assert.deepEqual([store.get(metric)?.value, store.counts().counterReset], [13, 1])
    b.record(metric, 18446744073709551615n)
    assert.equal(store.get(metric)?.value, '18446744073709551615')
    assert.equal(store.counts().droppedValue, 1, 'the 10 that the total is ahead')
    assert.deepEqual([a.increment(metric, 1), a.increment(metric, 1n)], [false, false])
    assert.equal(store.counts().droppedValue, 3)
    assert.equal(b.record(metric, 3), true, 'of a total without room for it')
    assert.equal(store.get(metric)?.value, '18446744073709551615')
    assert.equal(store.counts().droppedValue, 4)
    store.close()
  })

  test('a filter’s gauge can be changed by all workers, and wraps below zero, counted', () => {
    const store = MetricStore.create()
    const metric = store.define({ filter: 'f', name: 'g', type: 'gauge' })
    const [a, b] = [store.attach(), store.attach()]
    a.increment(metric, 2)
    b.increment(metric, -1)
    assert.equal(store.get(metric)?.value, 1)
    b.increment(metric, -2)
    assert.equal(store.get(metric)?.value, '18446744073709551615')
    assert.equal(store.counts().gaugeWrap, 1)
    assert.deepEqual(store.perWorker(metric), [])
    store.close()
  })

  test('gauges of an application consolidate by their mode', () => {
    const store = MetricStore.create()
    const workers = [store.attach(), store.attach(), store.attach()]
    const values = (['last', 'sum', 'min', 'max'] as const).map((mode) => {
      const metric = store.define({ name: mode, type: 'gauge', mode })
      workers[1]!.record(metric, 7)
      workers[0]!.record(metric, 4)
      assert.equal(workers[0]!.increment(metric), false)
      return store.get(metric)?.value
    })
    assert.deepEqual(values, [4, 11, 4, 7])
    store.close()
  })

  test('fractions are counted by the integer above, and summed up as a double', () => {
    const store = MetricStore.create({ profile: 'peer' })
    const metric = store.define({ name: 'h', type: 'histogram', sum: 'f64' })
    const worker = store.attach()
    for (const value of [0.5, 2.25, 2]) worker.record(metric, value)
    for (const nonsense of NONSENSE.filter((value) => !(Number(value) > 0))) {
      assert.equal(worker.record(metric, nonsense), false)
    }
    assert.equal(worker.record(metric, '5' as unknown as number), false)
    assert.equal(store.bins(metric).sum, 4.75)
    assert.deepEqual(store.get(metric), {
      type: 'histogram',
      value: [
        { ub: 1, count: 1 },
        { ub: 2, count: 1 },
        { ub: 4, count: 1 },
        { ub: 4294967295, count: 0 },
      ],
    })
    store.close()
  })

  test('every view of a histogram has all observations, through fallback, fold and move', () => {
    const values = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.bigInt({ min: 0n, max: 1n << 40n })), {
      maxLength: 120,
    })
    const histogram = fc.constantFrom('dense' as const, 'expanding' as const)
    holds(
      fc.property(histogram, values, (kind, ops) => {
        const store = MetricStore.create({ histogram: kind, profile: 'peer', workers: 3 })
        const metric = store.define({ name: 'h', type: 'histogram' })
        const workers = [store.attach(), store.attach(), store.attach()]
        ops.forEach(([worker, value], i) => {
          workers[worker]!.record(metric, value)
          if (i === 40) store.reconfigure({ workers: 5 })
          if (i === 80) {
            workers[2]!.detach()
            workers[2] = store.attach()
          }
        })
        const sum = ops.reduce((all, [, value]) => all + value, 0n)
        for (const view of ['dense', 'documented'] as const) {
          const shown = store.get(metric, { view })
          assert.ok(shown?.type === 'histogram')
          const total = shown.value.reduce((all, { count }) => all + Number(count), 0)
          assert.deepEqual([total, BigInt(shown.sum!)], [ops.length, sum])
          assert.ok(view === 'dense' || shown.value.length <= 18)
        }
        store.close()
      }),
      30,
    )
  })
})

suite('reading', () => {
  test('a store in memory that WebAssembly can address is the same store', () => {
    const store = MetricStore.create({ backing: 'wasm' })
    const metric = store.define({ name: 'c', type: 'counter' })
    store.attach().increment(metric, 3)
    assert.deepEqual(store.snapshot(), { c: { type: 'counter', value: 3 } })
    assert.equal(store.usage().backing, 'wasm')
    store.close()
  })

  test('names come a page at a time, in the order of their definition', () => {
    const store = MetricStore.create()
    for (let i = 0; i < 5; i++) store.define({ name: `m${i}`, type: 'counter' })
    store.retire(store.find({ name: 'm1', type: 'counter' }))
    assert.deepEqual(
      [...store.keys({ pageSize: 2 })],
      [
        ['m0', 'm2'],
        ['m3', 'm4'],
      ],
    )
    assert.deepEqual([...store.keys()], [['m0', 'm2', 'm3', 'm4']])
  })

  test('a snapshot has a histogram’s sum in profile peer only', () => {
    for (const profile of ['document', 'peer'] as const) {
      const store = MetricStore.create({ profile })
      const worker = store.attach()
      worker.record(store.define({ filter: 'f', name: 'h', type: 'histogram' }), 10)
      const value = [
        { ub: 16, count: 1 },
        { ub: 4294967295, count: 0 },
      ]
      const shown = { type: 'histogram', value, ...(profile === 'peer' ? { sum: 10 } : {}) }
      assert.deepEqual(store.snapshot(), { [profile === 'peer' ? 'pw:f:h' : 'pw.f.h']: shown })
      store.close()
    }
  })

  test('which worker counted what can be told apart, and what a gone one left', () => {
    const store = MetricStore.create()
    const metric = store.define({ name: 'c', type: 'counter' })
    const [a, b, c] = [store.attach(), store.attach(), store.attach()]
    a.increment(metric, 1)
    b.increment(metric, 2)
    c.increment(metric, 4)
    c.detach()
    assert.deepEqual(
      store.perWorker(metric).filter(({ value }) => value.value !== 0),
      [
        { worker: 0, value: { type: 'counter', value: 4 } },
        { worker: 1, value: { type: 'counter', value: 1 } },
        { worker: 2, value: { type: 'counter', value: 2 } },
      ],
    )
    store.close()
  })

  test('a metric describes itself with its unit and its labels', () => {
    const store = MetricStore.create()
    const metric = store.define({ filter: 'f', name: 'ms', type: 'histogram', unit: 'ms' })
    const { identity, metadata } = store.describe(metric)!
    assert.deepEqual(identity, { name: 'ms', kind: 'histogram', labels: [['filter', 'f']] })
    assert.equal(metadata.unit, 'ms')
    assert.equal(store.describe(999), undefined)
  })
})

suite('reconfiguration', () => {
  test('a change of nothing, and of the name’s length alone, keeps the zone', () => {
    const store = MetricStore.create({ onFull: 'error' })
    store.define({ name: 'a_long_name', type: 'counter' })
    assert.equal(store.reconfigure({ slabSize: '5m', workers: 1 }), 'kept')
    assert.equal(store.reconfigure({ maxMetricNameLength: 6 }), 'kept')
    assert.throws(() => store.define({ name: 'a_long_other', type: 'counter' }), /too long/)
    assert.ok(store.define({ name: 'a_long_name', type: 'counter' }) >= 0)
  })

  test('handles go on in the new zone, and a change that fails leaves the old one counting', () => {
    const store = MetricStore.create({ onFull: 'error', slabSize: '5m' })
    const metric = store.define({ name: 'c', type: 'counter' })
    for (let i = 0; i < 300; i++) store.define({ name: `h${i}`, type: 'histogram' })
    const handle = store.attach().handle(metric)
    handle.increment(2)
    assert.equal(store.reconfigure({ workers: 4 }), 'moved')
    handle.increment(3)
    assert.throws(
      () => store.reconfigure({ slabSize: '12k' }),
      /^RedefinitionError: failed redefining metric "h/,
    )
    assert.throws(() => store.reconfigure({ slabSize: '11k' }), { name: 'RangeError' })
    handle.increment(4)
    assert.equal(store.get(metric)?.value, 9)
    store.close()
  })
})
