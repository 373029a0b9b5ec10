import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { packet, seriesNamed, startHub } from '../../../../test/support/hub/hub.ts'
import { holds } from '../../../../test/support/property.ts'
import type { DatagramBatch, Peer } from '../../../dialects/endpoints.ts'
import { dialect as statshero } from '../../../dialects/statshero/dialect.ts'
import { keyedHash } from '../../../model/index.ts'
import type { LimitChanges } from '../quota.ts'
import type { ZoneIngest } from '../zone-ingest.ts'
import { NOT_REFUSED, RefusedKeys } from './refused-keys.ts'

const HERE = '192.0.2.1'
const THERE = '198.51.100.1'

/**
 * A hub that takes two series of a source, and a server that lines are handed to.
 * @param hasKeys whether WebAssembly looks keys up
 */
async function setUp(hasKeys: boolean, options: Record<string, unknown> = {}) {
  const { hub, clock } = await startHub({ seriesLimitPerSource: 2, ...options })
  const ingest = hub.createIngest('statshero') as ZoneIngest
  if (!hasKeys) Object.defineProperty(ingest, 'openKeys', { value: undefined })
  const server = statshero.createServer!({
    ingest,
    openSnapshot: () => ({ revision: 0, list: () => [], read() {} }),
    reports: hub.reports.for('statshero'),
    clock,
    options: {},
  })
  const from = (address: string): Peer => ({ transport: 'udp', address, port: 9 })
  // long enough not to be scanned where it came
  const send = (body: string, address = HERE) =>
    server.datagram!(packet(`${body}${':\n'.repeat(32)}`), from(address))
  /** Sends datagrams at once, each from an address of its own. */
  const sendBatch = (datagrams: readonly (readonly [body: string, address: string])[]) => {
    const place = server.datagrams
    if (place === undefined) {
      for (const [body, address] of datagrams) server.datagram!(packet(body), from(address))
      return
    }
    const stride = 4096
    const bytes = new Uint8Array(place.buffer)
    const sizes = new Uint32Array(place.buffer, place.at, datagrams.length)
    const at = place.at + stride
    for (const [i, [body]] of datagrams.entries()) {
      const each = packet(body)
      bytes.set(each, at + i * stride)
      sizes[i] = each.length
    }
    const batch: DatagramBatch = {
      ...{ count: datagrams.length, at, stride, sizesAt: place.at, sizesStride: 4 },
      isOfSameSender: (i) => i > 0 && datagrams[i]![1] === datagrams[i - 1]![1],
      sender: (i) => ({ address: datagrams[i]![1], port: 9 }),
      handOn: () => assert.fail('plain datagrams'),
    }
    place.take(batch, 0, { isSpent: false })
  }
  const total = (name: string) => {
    const record = seriesNamed(hub, name, 'counter')
    const held = record && hub.total(record)
    return held?.kind === 'counter' ? held.total : undefined
  }
  const refusals = () => hub.reports.refusals().map(({ code, count }) => [code, count])
  const refused = () => total('pentameter.ingest.refused')
  return { hub, ingest, send, sendBatch, total, refused, refusals }
}

suite('refused keys', () => {
  test('one that comes as windows is described once, and counted each time', async () => {
    const { hub, ingest, send, refused } = await setUp(false)
    send('a:1|m\nb:1|m\n')
    ingest.begin(HERE)
    const key = Buffer.from('windows')
    let described = 0
    const ask = () =>
      ingest.slot(key, 0, key.length, 2, keyedHash(key, 0, key.length), () => {
        described++
        const identity = { name: 'windows', kind: 'histogram' as const, labels: [] }
        return { identity, metadata: { dialect: 'statshero', type: 'h' }, isWindowed: true }
      })
    for (let i = 0; i < 5; i++) assert.equal(ask(), -1)
    assert.equal(refused(), 5)
    const before = described
    ask()
    assert.equal(described, before)
    await hub.stop()
  })

  for (const [how, hasKeys] of [
    ['looked up where they lie', true],
    ['visited', false],
  ] as const) {
    test(`each line of one is counted, and goes to the overflow series: ${how}`, async () => {
      const { hub, ingest, send, total, refused } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\n')
      for (let i = 0; i < 5; i++) send('c:3|m\nd:1|g\nc:2|m\ne:1|h\nf:1|mr\nc:1|m\nc:1|m|@0.5\n')
      assert.equal(refused(), 35)
      assert.equal(ingest.measurements, 37)
      assert.equal(total('pentameter.overflow'), 40)
      assert.equal(hub.reports.refusedKeys('series_limit_per_source').length, 4)
      await hub.stop()
    })

    test(`one is taken from another source, and then from the first one, too: ${how}`, async () => {
      const { hub, send, total, refused } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\nc:1|m\nc:1|m\n')
      send('c:1|m\n')
      assert.equal(refused(), 3)
      send('c:1|m\n', THERE)
      send('c:1|m\n')
      assert.equal(refused(), 3)
      assert.equal(total('c'), 2)
      await hub.stop()
    })

    test(`one is taken when another ingest has taken it: ${how}`, async () => {
      const { hub, send, total, refused } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\nc:1|m\nd:1|m\n')
      send('c:1|m\nd:1|m\n')
      const other = hub.createIngest('statshero')
      other.begin(THERE)
      const server = statshero.createServer!({
        ingest: other,
        openSnapshot: () => ({ revision: 0, list: () => [], read() {} }),
        reports: hub.reports.for('statshero'),
        clock: hub.clock,
        options: {},
      })
      server.datagram!(packet('c:5|m\n'), { transport: 'udp', address: THERE, port: 9 })
      assert.equal(refused(), 4)
      send('c:1|m\nd:1|m\n')
      assert.equal(refused(), 5)
      assert.equal(total('c'), 6)
      await hub.stop()
    })

    test(`one is taken once a series of its source has left: ${how}`, async () => {
      const { hub, ingest, send, total, refused } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\nc:1|m\nc:1|m\n')
      send('c:1|m\n')
      ingest.retire(0)
      send('c:1|m\n')
      assert.equal(refused(), 3)
      assert.equal(total('c'), 1)
      await hub.stop()
    })

    test(`of a limit for all are refused whoever sends them: ${how}`, async () => {
      const { hub, ingest, send, sendBatch, refusals } = await setUp(hasKeys, { seriesLimit: 2 })
      send('a:1|m\nb:1|m\nc:1|m\n')
      send('c:1|m\n', THERE)
      sendBatch([
        ['c:1|m\na:1|m\n', HERE],
        ['c:1|m\n', THERE],
      ])
      assert.deepEqual(refusals(), [['series_limit', 4]])
      hub.series.quota.isOverloaded = true
      send('c:1|m\n', THERE)
      send('c:1|m\n')
      assert.deepEqual(refusals(), [
        ['series_limit', 4],
        ['overloaded', 2],
      ])
      hub.series.quota.isOverloaded = false
      ingest.retire(0)
      send('c:1|m\n', THERE)
      assert.equal(seriesNamed(hub, 'c')?.source, THERE)
      await hub.stop()
    })

    test(`of a batch are refused to each sender by its own limit: ${how}`, async () => {
      const { hub, sendBatch, total, refused } = await setUp(hasKeys)
      sendBatch([['a:1|m\nb:1|m\nc:1|m\nd:1|m\n', HERE]])
      sendBatch([['c:1|m\nd:1|m\n', HERE]])
      assert.equal(refused(), 4)
      sendBatch([
        ['d:1|m\n', HERE],
        ['c:1|m\n', THERE],
        ['d:1|m\nc:1|m\n', HERE],
        ['d:1|m\n', THERE],
        ['d:1|m\n', HERE],
      ])
      assert.equal(refused(), 6)
      assert.deepEqual([total('c'), total('d')], [2, 2])
      await hub.stop()
    })

    test(`go on in a new overflow series when the one before is deleted: ${how}`, async () => {
      const { hub, send, total } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\nc:3|m\n')
      send('c:3|m\n')
      assert.equal(total('pentameter.overflow'), 6)
      const overflow = seriesNamed(hub, 'pentameter.overflow')!
      hub.series.retire(overflow)
      send('c:4|m\nc:5|m\n')
      send('c:6|m\n')
      const totals = [...hub.series]
        .filter(({ identity }) => identity.name === 'pentameter.overflow')
        .map((record) => hub.total(record))
      assert.deepEqual(totals, [{ kind: 'counter', total: 15, decrements: 0 }])
      await hub.stop()
    })

    test(`near the end of the overflow series each line is taken or refused: ${how}`, async () => {
      const { hub, send, total, refusals } = await setUp(hasKeys)
      send('a:1|m\nb:1|m\nc:1|m\n')
      send('c:1|m\nd:1|m\n')
      send(`c:${2n ** 64n - 100n}|m\n`)
      send('c:42|m\nd:42|m\nc:42|m\nd:1|m\n')
      assert.equal(total('pentameter.overflow'), 2n ** 64n - 12n)
      assert.deepEqual(refusals(), [
        ['series_limit_per_source', 8],
        ['value_range', 1],
      ])
      await hub.stop()
    })
  }

  test('are counted and taken in the same way by WebAssembly and without it', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'long'.repeat(9))
    const type = fc.constantFrom('m', 'm', 'm', 'g', 'h', 'mr', 'm|@0.5')
    const line = fc.tuple(key, fc.nat(9), type).map(([k, v, t]) => `${k}:${v}|${t}\n`)
    const body = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.join(''))
    const address = fc.constantFrom(HERE, THERE)
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.array(fc.tuple(body, address), { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.nat(3) },
    )
    for (const [i, steps] of fc.sample(fc.array(step, { maxLength: 25 }), 12).entries()) {
      const outcomes: unknown[] = []
      for (const hasKeys of [true, false]) {
        const { hub, ingest, send, sendBatch, refusals } = await setUp(hasKeys, { seriesLimit: 5 })
        for (const each of steps) {
          if (typeof each === 'number') ingest.retire(each)
          else if (each.length === 1) send(...each[0]!)
          else sendBatch(each)
        }
        const totals = [...hub.series].map((record) => [
          record.identity.name,
          record.kind,
          record.source,
          record.kind === 'histogram' ? undefined : hub.total(record),
        ])
        const own = (name: unknown) => String(name).startsWith('pentameter.zone')
        outcomes.push([totals.filter(([name]) => !own(name)), refusals(), ingest.measurements])
        await hub.stop()
      }
      assert.deepEqual(outcomes[0], outcomes[1], `case ${i}: ${JSON.stringify(steps)}`)
    }
  })
})

/** Limits whose changes are told here. */
class Changes implements LimitChanges {
  easings = 0
  additions = 0
  readonly additionsKept = 4
  readonly #hashes: number[] = []

  addedHash(addition: number): number {
    return this.#hashes[addition]!
  }

  add(hash: number): void {
    this.#hashes.push(hash)
    this.additions++
  }
}

const REFUSAL = { code: 'series_limit', kind: 'counter', isCumulative: false } as const

function table() {
  const changes = new Changes()
  const keys = new RefusedKeys(changes)
  const mixed = (text: string) => {
    const bytes = Buffer.from(text)
    return keyedHash(bytes, 0, bytes.length, [1, 2])
  }
  const hash = (text: string) => mixed(text) ^ 0x5555
  return {
    ...{ changes, keys, hash },
    add(text: string, ofAll = true) {
      const bytes = Buffer.from(text)
      const { length } = bytes
      return keys.add(bytes, 0, length, 0, mixed(text), hash(text), REFUSAL, ofAll)
    },
    has(text: string) {
      keys.refresh()
      const bytes = Buffer.from(text)
      return keys.find(bytes, 0, bytes.length, 0, mixed(text)) !== NOT_REFUSED
    },
  }
}

suite('the table of refused keys', () => {
  test('knows a key until a limit eases, or this key is added', () => {
    const { changes, add, has, hash } = table()
    for (const name of ['a', 'b', 'c']) add(name)
    changes.add(hash('b'))
    changes.add(hash('x'))
    assert.deepEqual(['a', 'b', 'c'].map(has), [true, false, true])
    changes.easings++
    assert.deepEqual(['a', 'b', 'c'].map(has), [false, false, false])
  })

  test('forgets all where more keys were added than are told', () => {
    const { changes, add, has } = table()
    add('a')
    for (let i = 0; i < 5; i++) changes.add(i)
    assert.equal(has('a'), false)
    add('a')
    for (let i = 0; i < 4; i++) changes.add(i)
    assert.equal(has('a'), true)
  })

  test('knows of whom a refusal is', () => {
    const { keys, add, has } = table()
    keys.begin('one')
    add('a', false)
    keys.begin('other')
    assert.equal(has('a'), false)
    add('b', false)
    keys.begin('one')
    assert.deepEqual(['a', 'b'].map(has), [true, false])
  })

  test('stays as large as it is, and names that come once do not drive out others', () => {
    const { changes, keys, add, has } = table()
    const again = Array.from({ length: 500 }, (_, i) => `comes.again.and.again.${i}`)
    let made = 0
    const addOnce = (count: number) => {
      for (let i = 0; i < count; i++) add(`a.name.that.comes.once.and.never.again.${made++}`)
    }
    addOnce(320_000)
    let found = 0
    for (let round = 0; round < 150; round++) {
      for (const name of again) {
        if (has(name)) found++
        else add(name)
        addOnce(1)
      }
    }
    // each has its place after 16 times, as a rule
    const share = found / (150 * again.length)
    assert.ok(share > 0.8, `${share} found`)
    assert.ok(keys.bytes < 24e6, `${keys.bytes} bytes`)
    // what holds no more leaves at once
    changes.easings++
    assert.equal(again.some(has), false)
    for (const name of again) add(name)
    assert.ok(again.every(has))
  })

  test('is what a map with the same keys is, whatever comes and goes', () => {
    const step = fc.tuple(fc.constantFrom('add', 'added', 'ease', 'begin'), fc.nat(40))
    holds(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { changes, keys, add, has, hash } = table()
        const names = Array.from({ length: 41 }, (_, i) => `${i}`.repeat(1 + (i % 30)))
        let source = 's0'
        keys.begin(source)
        const expected = new Set<string>()
        for (const [what, n] of steps) {
          const name = names[n]!
          if (what === 'begin') {
            source = `s${n % 3}`
            keys.begin(source)
          } else if (what === 'ease') {
            changes.easings++
            expected.clear()
          } else if (what === 'added') {
            changes.add(hash(name))
            for (const each of expected) {
              if (each.endsWith(` ${name}`)) expected.delete(each)
            }
          } else if (!has(name)) {
            add(name, n % 2 === 0)
            expected.add(n % 2 === 0 ? `all ${name}` : `${source} ${name}`)
          }
          for (const each of names) {
            const isExpected = expected.has(`all ${each}`) || expected.has(`${source} ${each}`)
            assert.equal(has(each), isExpected)
          }
        }
      }),
    )
  })
})
