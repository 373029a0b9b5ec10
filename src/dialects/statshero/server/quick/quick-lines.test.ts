import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { KeyedIngest } from '../../../../../test/support/keyed-ingest.ts'
import { ModelIngest } from '../../../../../test/support/model-ingest.ts'
import { holds } from '../../../../../test/support/property.ts'
import type { Peer } from '../../../endpoints.ts'
import { FrameScanner } from '../../codec/frame-scan.ts'
import type { FrameRules, PacketVisitor } from '../../codec/line-visitor.ts'
import { decodeDatagram } from '../../codec/packet.ts'
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

/** What a connection leaves whose reads are these. */
function stream(way: Way, reads: readonly Uint8Array[], rules?: FrameRules) {
  const setup = setUp(way, rules)
  const scanner = new FrameScanner(setup.rules, setup.visitor, setup.quick)
  const progress: unknown[] = []
  for (const read of reads) {
    if (way === 'in place') {
      const { landing } = setup.quick!
      landing.set(read)
      scanner.push(landing.subarray(0, read.length))
      landing.fill(0x7c)
    } else {
      scanner.push(read)
    }
    progress.push([scanner.framesBegun, scanner.isInsideFrame, scanner.isClosed])
  }
  scanner.end()
  return { ...outcome(setup), progress }
}

function datagram(way: Way, datagrams: readonly Uint8Array[]) {
  const setup = setUp(way)
  for (const bytes of datagrams) decodeDatagram(bytes, setup.rules, setup.visitor, setup.quick)
  return outcome(setup)
}

/** Batches of at most so many datagrams, each from a port of its own. */
const BATCH = 100

/** What datagrams leave that come many at once; in `visited`, one by one. */
function batches(way: 'visited' | 'in place', datagrams: readonly Uint8Array[]) {
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
    take({
      ...{ count: some.length, at: firstAt, stride, sizesAt: at, sizesStride: 4 },
      isOfSameSender: () => false,
      sender: from,
      handOn: (i) => {
        const place = firstAt + i * stride
        single(i, bytes.subarray(place, place + sizes[i]!))
      },
    })
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

suite('lines taken in memory', () => {
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
