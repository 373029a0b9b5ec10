import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { KeyedIngest } from '../../../../../test/support/keyed-ingest.ts'
import { ModelIngest } from '../../../../../test/support/model-ingest.ts'
import { holds } from '../../../../../test/support/property.ts'
import type { Budget } from '../../../../time/budget.ts'
import type { DatagramBatch, Peer } from '../../../endpoints.ts'
import { FrameScanner } from '../../codec/frame-scan.ts'
import type { FrameRules, PacketVisitor } from '../../codec/line-visitor.ts'
import { decodeDatagram, decodeRest } from '../../codec/packet.ts'
import { frameRules } from '../../codec.ts'
import { LineMapper } from '../../map.ts'
import { RECEIVE_DEFAULTS } from '../../options.ts'
import { fromBase64, loadVectors } from '../../test/golden.ts'
import { MemoryLines } from './quick-lines.ts'

/** Visitor that maps, and keeps what was wrong. */
class Visitor extends LineMapper implements PacketVisitor {
  readonly errors: unknown[] = []
  #from: Peer | undefined

  begin(peer: Peer): void {
    this.#from = peer
  }

  packetEnd(): void {}

  badLine(code: string, bytes: Uint8Array, start: number, end: number, offset: number): void {
    this.errors.push([
      this.#from?.port,
      code,
      offset,
      Buffer.from(bytes.subarray(start, end)).toString('latin1'),
    ])
  }

  badPacket(
    code: string,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
  ): void {
    const text = Buffer.from(bytes.subarray(start, end)).toString('latin1')
    this.errors.push([this.#from?.port, code, detail, offset, isResync, text])
  }
}

/** Ways of the bytes to the lines. */
type Way = 'visited' | 'copied' | 'in place'

interface Setup {
  readonly ingest: ModelIngest
  readonly visitor: Visitor
  readonly quick: MemoryLines | undefined
  readonly rules: FrameRules
}

const MAP_OPTIONS = { ...RECEIVE_DEFAULTS, maxKeyBytes: 200 }

function setUp(way: Way, rules = frameRules({ maxFrameBytes: 300_000 })): Setup {
  const ingest = way === 'visited' ? new ModelIngest() : new KeyedIngest()
  const visitor = new Visitor(ingest, MAP_OPTIONS)
  const quick = way === 'visited' ? undefined : MemoryLines.open(ingest, rules, visitor)
  assert.equal(quick === undefined, way === 'visited')
  return { ingest, visitor, quick, rules }
}

function outcome({ ingest, visitor }: Setup) {
  const series = ingest.series.map(({ histogram, ...rest }) => {
    const { count, sum, min, max, zeroCount } = histogram
    return { ...rest, count, sum, min, max, zeroCount }
  })
  return { series, counted: ingest.counted, errors: visitor.errors }
}

/** A turn that is over from its look number `looks` on, from 0. */
class FakeBudget implements Budget {
  readonly #looks: number
  #left = 0

  constructor(looks: number) {
    this.#looks = looks
    this.begin()
  }

  begin(): void {
    this.#left = this.#looks
  }

  get isSpent(): boolean {
    return this.#left-- <= 0
  }
}

/**
 * What a connection leaves whose reads are these.
 * @param budget the next one begins at once, and nothing more is read before all of a read is taken
 */
function stream(way: Way, reads: readonly Uint8Array[], rules?: FrameRules, budget?: FakeBudget) {
  const setup = setUp(way, rules)
  const scanner = new FrameScanner(setup.rules, setup.visitor, setup.quick, budget)
  const progress: unknown[] = []
  const goOn = (): void => {
    for (budget?.begin(); scanner.hasRest; budget?.begin()) {
      // another connection has its turn
      setup.quick?.landing.fill(0x31)
      scanner.goOn()
    }
  }
  for (const read of reads) {
    if (way === 'in place') {
      const { landing } = setup.quick!
      landing.set(read)
      scanner.push(landing.subarray(0, read.length))
      landing.fill(0x7c)
    } else {
      scanner.push(read)
    }
    goOn()
    progress.push([scanner.framesBegun, scanner.isInsideFrame, scanner.isClosed])
  }
  scanner.end()
  return { ...outcome(setup), progress }
}

function datagram(way: Way, datagrams: readonly Uint8Array[], budget?: FakeBudget) {
  const setup = setUp(way)
  const { rules, visitor, quick } = setup
  for (const bytes of datagrams) {
    budget?.begin()
    let rest = decodeDatagram(bytes, rules, visitor, quick, budget)
    for (budget?.begin(); rest !== undefined; budget?.begin()) {
      rest = decodeRest(rest, rules, visitor, quick, budget)
    }
  }
  return outcome(setup)
}

/** Batches of at most so many datagrams, each from a port of its own. */
const BATCH = 100

/** What datagrams leave that come many at once; in `visited`, one by one. */
function batches(
  way: 'visited' | 'in place',
  datagrams: readonly Uint8Array[],
  budget: Budget = { isSpent: false },
) {
  const setup = setUp(way)
  const { quick, visitor, rules } = setup
  const from = (port: number): Peer => ({ transport: 'udp', address: '192.0.2.1', port })
  const single = (i: number, bytes: Uint8Array): void => {
    visitor.begin(from(i))
    decodeDatagram(bytes, rules, visitor, quick)
  }
  if (quick === undefined) {
    for (const [i, bytes] of datagrams.entries()) single(i % BATCH, bytes)
    return outcome(setup)
  }
  const { buffer, at, take } = quick.datagrams
  const bytes = new Uint8Array(buffer)
  const sizes = new Uint32Array(buffer, at, BATCH)
  const [firstAt, stride] = [at + 4 * BATCH, 80_000]
  for (let start = 0; start < datagrams.length; start += BATCH) {
    const some = datagrams.slice(start, start + BATCH)
    for (const [i, each] of some.entries()) {
      bytes.set(each, firstAt + i * stride)
      sizes[i] = each.length
    }
    const batch: DatagramBatch = {
      ...{ count: some.length, at: firstAt, stride, sizesAt: at, sizesStride: 4 },
      isOfSameSender: () => false,
      sender: from,
      handOn: (i) => {
        const place = firstAt + i * stride
        single(i, bytes.subarray(place, place + sizes[i]!))
      },
    }
    for (let next = 0; next < batch.count; ) next = take(batch, next, budget)
  }
  return outcome(setup)
}

function assertSame(reads: readonly Uint8Array[], what = ''): void {
  const expected = stream('visited', reads)
  assert.deepEqual(stream('copied', reads), expected, `copied ${what}`)
  assert.deepEqual(stream('in place', reads), expected, `in place ${what}`)
}

function cutUp(bytes: Uint8Array, starts: readonly number[]): Uint8Array[] {
  return starts.map((start, i) => bytes.subarray(start, starts[i + 1]))
}

function frameOf(body: Uint8Array | string): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(`1|${bytes.length}\n`), bytes])
}

const KEYS = [15, 16, 17, 28, 31, 32, 33, 48, 199, 200, 201].map((length) => 'k'.repeat(length))
const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'ab',
    'cafe\u0301',
    ...KEYS,
    ...KEYS.map((each) => `${each.slice(1)}x`),
  ),
  fc.string({ minLength: 1, maxLength: 5 }),
)
const value = fc.oneof(
  fc.constantFrom('0', '42', '007', '999999999', '1073741823', '1073741824', '999999999999999'),
  fc.constantFrom(
    '1000000000000000',
    '9007199254740993',
    '18446744073709551615',
    '-5',
    '+7',
    '',
    'x',
  ),
  fc.integer({ min: 0, max: 1e6 }).map(String),
)
const type = fc.constantFrom('m', 'm', 'm', 'g', 'h', 'mr', 'x', 'mm', 'hr', '', 'm|@0.5', 'h|@0.1')
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, value, type).map(([k, v, t]) => `${k}:${v}|${t}\n`) },
  { weight: 1, arbitrary: fc.constantFrom('\n', 'bad\n', ':1|m\n', 'a|m\n', 'a:1\n', '|:1|m\n') },
)
const bodyText = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', '', 'a:1|m', 'a:3', 'b'))
  .map(([lines, last]) => lines.join('') + last)
const frame = fc.oneof(
  { weight: 8, arbitrary: bodyText.map(frameOf) },
  { weight: 1, arbitrary: bodyText.map((text) => frameOf(gzipSync(text))) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('1|0\n', '1|1\n\n', '2|3\nabc', '1|007\na:1|m\n\n', '01|2\n\n\n', '1|x\n')
      .map((text) => Buffer.from(text)),
  },
)

/** Bodies that take several looks at a turn. */
const longFrame = fc
  .tuple(bodyText, fc.integer({ min: 1000, max: 30_000 }), fc.boolean())
  .map(([text, size, isPacked]) => {
    const body = `${text}\n`.repeat(Math.ceil(size / (text.length + 1)))
    return frameOf(isPacked ? gzipSync(body) : body)
  })

suite('lines taken in memory', () => {
  test('are the same wherever turns end', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 })
    const frames = fc.array(fc.oneof(frame, longFrame), { maxLength: 4 })
    holds(
      fc.property(frames, cuts, fc.integer({ min: 1, max: 4 }), (frames, shares, looks) => {
        const bytes = Buffer.concat(frames)
        const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b)
        const reads = cutUp(bytes, [0, ...places])
        const expected = stream('visited', reads)
        const expectedOfDatagrams = datagram('visited', frames)
        for (const way of ['visited', 'copied', 'in place'] as const) {
          const budget = new FakeBudget(looks)
          assert.deepEqual(stream(way, reads, undefined, budget), expected, way)
          assert.deepEqual(datagram(way, frames, budget), expectedOfDatagrams, way)
        }
        const over = { isSpent: true }
        assert.deepEqual(batches('in place', frames, over), batches('visited', frames))
      }),
    )
  })

  test('wait in the midst of a body, and of a read of many', () => {
    const body = 'x\n'.repeat(30_000)
    const reads = [Buffer.concat([frameOf('a:1|m\n'), frameOf(gzipSync(body)), frameOf(body)])]
    for (const way of ['visited', 'copied', 'in place'] as const) {
      const setup = setUp(way)
      const budget = new FakeBudget(1)
      const scanner = new FrameScanner(setup.rules, setup.visitor, setup.quick, budget)
      const { landing } = setup.quick ?? {}
      const taken: number[] = []
      landing?.set(reads[0]!)
      scanner.push(way === 'in place' ? landing!.subarray(0, reads[0]!.length) : reads[0]!)
      for (; scanner.hasRest; scanner.goOn()) {
        taken.push(setup.visitor.errors.length)
        assert.ok(scanner.bytesHeld > 0)
        budget.begin()
      }
      assert.ok(taken.length >= 3, way)
      assert.ok(taken[0]! < 10_000, way)
      assert.equal(setup.visitor.errors.length, 60_000)
    }
  })

  test('that wait are lost when the stream is closed before, and it is told', () => {
    const setup = setUp('in place')
    const scanner = new FrameScanner(setup.rules, setup.visitor, setup.quick, new FakeBudget(1))
    scanner.push(frameOf(gzipSync('x\n'.repeat(30_000))))
    assert.ok(scanner.hasRest)
    scanner.end()
    assert.deepEqual([scanner.hasRest, scanner.isClosed], [false, true])
    assert.match(String(setup.visitor.errors.at(-1)), /truncated/)
  })

  test('leave what visited ones leave, whatever they say and wherever a read cuts them', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 })
    holds(
      fc.property(fc.array(frame, { maxLength: 6 }), cuts, (frames, shares) => {
        const bytes = Buffer.concat(frames)
        const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b)
        const starts = [0, ...places]
        assertSame(cutUp(bytes, starts))
        const ways = ['copied', 'in place'] as const
        for (const way of ways) assert.deepEqual(datagram(way, frames), datagram('visited', frames))
        const some = [...frames, ...cutUp(bytes, starts), ...frames]
        assert.deepEqual(batches('in place', some), batches('visited', some))
      }),
    )
  })

  test('are the same at every cut of a stream that knows its keys', () => {
    const lines = 'a:1|m\nb:2|g\nbad\na:3|m\nc:5|mr\nc:7|mr\nb:9|g\na:1|m|@0.5\nh:4|h\nlast:1|m'
    const frames = [frameOf(lines), frameOf(lines), frameOf('x'), frameOf(lines)]
    const bytes = Buffer.concat(frames)
    for (let cut = 0; cut <= bytes.length; cut++) {
      assertSame([bytes.subarray(0, cut), bytes.subarray(cut)], `cut at ${cut}`)
    }
    assertSame([...bytes].map((byte) => Uint8Array.of(byte)))
  })

  test('of datagrams with lengths in many digits leave those behind them as they are', () => {
    const body = 'b:1|g\nx\na:2|g\nbad\n'
    const long = Buffer.from(`1|${String(body.length).padStart(14, '0')}\n${body}`)
    const some = [long, frameOf('a:1|g\nb:1|g\n'), frameOf('a:3|g\ny\n'), long, frameOf('b:7|g\n')]
    // in the second batch keys are known
    const many = Array.from({ length: (2 * BATCH) / some.length }, () => some).flat()
    assert.deepEqual(batches('in place', many), batches('visited', many))
  })

  test('of a body that fills the lists and lacks its last LF leave the next frame whole', () => {
    const known = 'a:1|m\ng:1|g\n'
    const full = `${'g:5|g\n'.repeat(5000)}a:1|m`
    const bad = `${'x\n'.repeat(9000)}a:1|m`
    const bytes = Buffer.concat([known, full, known, bad, known].map(frameOf))
    assertSame([bytes])
  })

  test('of every vector are as they are when they are visited', () => {
    const { decode, tcp } = loadVectors()
    const packets = decode.map(({ bytes_b64 }) => fromBase64(bytes_b64))
    // twice, so that keys are known the second time
    const twice = [...packets, ...packets]
    assert.deepEqual(datagram('copied', twice), datagram('visited', twice))
    assert.deepEqual(batches('in place', twice), batches('visited', twice))
    for (const { chunks_b64 } of tcp) assertSame(chunks_b64.map(fromBase64))
  })

  test('are gathered where their key is known, and told in order where that matters', () => {
    const setup = setUp('copied')
    const scanner = new FrameScanner(setup.rules, setup.visitor, setup.quick)
    for (let i = 0; i < 3; i++) scanner.push(frameOf(`a:1|m\ng:${i}|g\na:2|m\ng:-${i}|g\n`))
    const { gathered, series } = setup.ingest as KeyedIngest
    assert.equal(gathered, 4)
    assert.deepEqual(
      series.map(({ total, value }) => [total, value]),
      [
        [9, undefined],
        [0, -2],
      ],
    )
  })

  test('of a counter near its end are taken or refused one by one', () => {
    const lines = Array.from({ length: 6 }, () => 'a:42|m\n').join('')
    assertSame([frameOf('a:1|m\n'), frameOf(`a:${2n ** 64n - 101n}|m\n`), frameOf(lines)])
  })

  test('behind one that fills a counter are refused, not that one', () => {
    const known = 'a:1|m\n'
    const small = 'a:5|m\na:7|m\n'
    const fill = 2n ** 64n - 3n
    const larges = [`a:${fill}|m\n`, `a:+${fill}|m\n`, 'a:9223372036|m|@0.000000001\n']
    for (const large of larges) {
      const twice = large.repeat(large.includes('@') ? 2 : 1)
      assertSame([frameOf(known), frameOf(twice + small)])
      const unended = frameOf(twice.slice(0, -1))
      assertSame([frameOf(known), Buffer.concat([unended, frameOf(small)])])
      const some = [unended, frameOf(small)]
      const packed = [frameOf(gzipSync(twice)), frameOf(small)]
      const many = Array.from({ length: BATCH }, () => frameOf(known))
      for (const last of [some, packed]) {
        assert.deepEqual(
          batches('in place', [...many, ...last]),
          batches('visited', [...many, ...last]),
        )
      }
    }
  })

  test('may be more than the lists of a call hold', () => {
    const names = Array.from({ length: 3000 }, (_, i) => `name.${i}`)
    const counters = names.map((name) => `${name}:1|m\n`).join('')
    const gauges = names.map((name, i) => `${name}:${i}|g\n`).join('')
    const bad = 'x\n'.repeat(5000)
    const frames = [counters, gauges, counters, gauges, bad, counters].map(frameOf)
    assertSame(frames)
    const bytes = Buffer.concat(frames)
    const reads = Array.from({ length: Math.ceil(bytes.length / 100_000) }, (_, i) =>
      bytes.subarray(i * 100_000, (i + 1) * 100_000),
    )
    assertSame(reads)
  })

  test('of many datagrams may be more than the lists of a call hold', () => {
    const some = Array.from({ length: 300 }, (_, i) => {
      if (i % 3 === 0)
        return frameOf(Array.from({ length: 90 }, (_, k) => `n.${i + k}:1|m\n`).join(''))
      return i % 3 === 1 ? frameOf('x\n'.repeat(i * 8)) : frameOf('no end')
    })
    const twice = [...some, ...some]
    assert.deepEqual(batches('in place', twice), batches('visited', twice))
  })

  test('of a frame that is longer than a read are taken once it is whole, or not at all', () => {
    const body = Array.from({ length: 20_000 }, (_, i) => `name.${i % 50}:1|m\n`).join('')
    const long = `${'y'.repeat(70_000)}:1|m\n`
    const bytes = Buffer.concat([
      frameOf('name.0:1|m\n'),
      frameOf(body.slice(0, 270_000)),
      frameOf(long),
    ])
    const reads = Array.from({ length: Math.ceil(bytes.length / 50_000) }, (_, i) =>
      bytes.subarray(i * 50_000, (i + 1) * 50_000),
    )
    assertSame(reads)
    assertSame(reads.slice(0, 3))
  })

  test('are visited where the rules are those of the document', () => {
    const ingest = new KeyedIngest()
    const rules = frameRules({ profile: 'document' })
    assert.equal(MemoryLines.open(ingest, rules, new Visitor(ingest, MAP_OPTIONS)), undefined)
  })

  test('are visited where an ingest has no memory for its keys', () => {
    const ingest = new ModelIngest()
    assert.equal(
      MemoryLines.open(ingest, frameRules(), new Visitor(ingest, MAP_OPTIONS)),
      undefined,
    )
  })
})
