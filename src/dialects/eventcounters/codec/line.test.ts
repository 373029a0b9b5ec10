/** Streams of lines, cut anywhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainHistogram } from '../../../../test/support/plain-histogram.ts'
import { holds } from '../../../../test/support/property.ts'
import { Histogram } from '../../../model/index.ts'
import type { Profile } from '../../decoder.ts'
import type { CounterWindow } from '../window.ts'
import { boundaryText, LineReader } from './line.ts'
import type { ReadWindow } from './read.ts'

const WINDOW: CounterWindow = {
  counter: {
    provider: 'A "p"',
    name: 'c\n',
    displayName: 'é',
    units: '',
    rateScaleSec: 60,
    metaData: [],
  },
  seriesMs: 1000,
  intervalSec: 1.5,
  statistics: { kind: 'sum', increment: 0.25 },
}
const BARE = '{"Name":"a","CounterType":"Sum","Increment":1,"Series":"Interval=1","IntervalSec":1'

class Heard {
  readonly windows: ReadWindow[] = []
  readonly other: string[] = []
  readonly reader: LineReader

  constructor(options: ConstructorParameters<typeof LineReader>[1] = {}) {
    this.reader = new LineReader(
      {
        onWindow: (window) => this.windows.push(window),
        onIgnored: (reason) => this.other.push(reason),
        onError: (code, line) => this.other.push(`${code} ${line.length}`),
      },
      options,
    )
  }

  push(text: string | Uint8Array): this {
    this.reader.push(typeof text === 'string' ? Buffer.from(text) : text)
    return this
  }
}

test('what is written is read: envelope, payload and the end of the line', () => {
  for (const profile of ['document', 'peer'] as const) {
    const heard = new Heard().push(
      boundaryText({ timeMs: 1_700_000_000_123, windows: [WINDOW] }, profile),
    )
    const [read] = heard.windows
    assert.deepEqual(read?.counter, WINDOW.counter)
    assert.deepEqual(read?.statistics, WINDOW.statistics)
    assert.deepEqual(
      [read?.provider, read?.timeMs, read?.seriesMs, read?.intervalSec, read?.profile],
      ['A "p"', 1_700_000_000_123, 1000, 1.5, profile],
    )
  }
})

test('many lines, and long ones, are read in parts', () => {
  const cases: [string, number][] = [
    [`${BARE}}\n`.repeat(800), 50],
    ['\n'.repeat(800), 50],
    ['{"a":\n'.repeat(800), 50],
    [`${BARE},"x":"${'y'.repeat(5000)}"}\n`.repeat(10), 10],
  ]
  for (const [text, want] of cases) {
    const heard = new Heard()
    const whole = new Heard().push(text)
    const parts = [...heard.reader.pushInParts(Buffer.from(text))].length + 1
    assert.ok(parts >= want, `${parts} parts, want ${want}`)
    assert.deepEqual([heard.windows, heard.other], [whole.windows, whole.other])
  }
})

test('a second that was chosen and pairs that are tags are marked for those who ask', () => {
  const { counter } = WINDOW
  const windows = [
    { ...WINDOW, counter: { ...counter, rateScaleSec: 0 } },
    { ...WINDOW, counter: { ...counter, rateScaleSec: 1 } },
    { ...WINDOW, counter: { ...counter, metaData: [['k', 'v']] as const, hasTags: true } },
  ]
  const marks = (profile: Profile, hasMarks: boolean) =>
    boundaryText({ timeMs: 0, windows }, profile, hasMarks)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).marks)
  assert.deepEqual(marks('document', false), [undefined, undefined, undefined])
  assert.deepEqual(marks('document', true), [undefined, ['scale'], ['tags']])
  assert.deepEqual(marks('peer', true), [undefined, undefined, ['tags']])
  for (const profile of ['document', 'peer'] as const) {
    const heard = new Heard().push(boundaryText({ timeMs: 0, windows }, profile, true))
    const read = heard.windows.map((window) => window.counter)
    assert.deepEqual(
      read.map(({ rateScaleSec, hasTags = false }) => [rateScaleSec, hasTags]),
      [
        [0, false],
        [1, false],
        [60, true],
      ],
    )
  }
  const odd = new Heard().push(`${BARE},"MetaData":"","marks":"scale"}\n`)
  assert.equal(odd.windows[0]?.counter.rateScaleSec, 0)
})

test('buckets follow the marks for those who ask, and change nothing else of a line', () => {
  const histogram = new Histogram()
  for (const value of [1.5, 2, 300]) histogram.record(value)
  const statistics = {
    kind: 'mean',
    count: 3,
    mean: 101.16,
    deviation: 2,
    min: 1.5,
    max: 300,
  } as const
  const plain: CounterWindow = { ...WINDOW, statistics }
  const windows = [{ ...plain, histogram }]
  for (const profile of ['document', 'peer'] as const) {
    const without = boundaryText({ timeMs: 0, windows: [plain] }, profile, true)
    assert.equal(boundaryText({ timeMs: 0, windows }, profile), without)
    const line = boundaryText({ timeMs: 0, windows }, profile, true)
    assert.ok(line.startsWith(without.slice(0, -2)))
    const [read] = new Heard().push(line).windows
    assert.deepEqual(plainHistogram(read!.histogram!), plainHistogram(histogram))
    assert.deepEqual([read!.histogram!.min, read!.histogram!.max], [1.5, 300])
    assert.deepEqual(read!.statistics, statistics)
  }
})

test('buckets that are none are left out with a warning, as are those of a Sum', () => {
  const mean = BARE.replace('"Sum"', '"Mean"').replace('Increment', 'Mean')
  for (const [payload, buckets] of [
    [mean, '{"scale":99,"sum":0}'],
    [mean, 'null'],
    [mean, '[[[[[[[[[[]]]]]]]]]]'],
    [BARE, '{"scale":0,"sum":0}'],
  ]) {
    const heard = new Heard().push(
      `{"Payload":${payload},"Count":1,"MetaData":""},"buckets":${buckets}}\n`,
    )
    assert.deepEqual(
      heard.windows.map(({ warnings }) => warnings),
      [['buckets']],
    )
    assert.equal(heard.windows[0]!.histogram, undefined)
  }
})

test('the lines of a boundary are those of its windows in order, none of no windows', () => {
  const other = { ...WINDOW, counter: { ...WINDOW.counter, name: 'd' } }
  const timeMs = 1_700_000_000_000
  const text = boundaryText({ timeMs, windows: [WINDOW, other] }, 'peer')
  const lines = [WINDOW, other].map((window) => boundaryText({ timeMs, windows: [window] }, 'peer'))
  assert.equal(text, lines.join(''))
  assert.equal(boundaryText({ timeMs, windows: [] }, 'peer'), '')
})

test('the first payload that shows its spelling fixes it for those that do not', () => {
  const heard = new Heard()
  heard.push(`${BARE}}\n${BARE},"Metadata":""}\n${BARE}}\n${BARE},"MetaData":""}\n${BARE}}\n`)
  const profiles = heard.windows.map(({ profile, warnings }) => `${profile} ${warnings}`)
  assert.deepEqual(profiles, ['document profile_assumed', 'peer ', 'peer ', 'document ', 'peer '])
  assert.equal(heard.reader.profile, 'peer')
})

test('a spelling that is known before the first line needs no mark', () => {
  const heard = new Heard({ profile: 'peer' }).push(`${BARE}}\n`)
  assert.deepEqual([heard.windows[0]?.profile, heard.windows[0]?.warnings], ['peer', []])
})

test('a line of exactly the limit is read, a longer one is refused once and passed over', () => {
  const good = `${BARE},"MetaData":""}`
  const padded = (size: number) => good.padEnd(size)
  const heard = new Heard({ lineBytesLimit: 200 })
  heard.push(`${padded(200)}\n${padded(201)}\n${padded(5000)}\n${padded(200)}\r\n${good}\n`)
  assert.equal(heard.windows.length, 2)
  assert.deepEqual(heard.other, ['line_too_long 200', 'line_too_long 200', 'line_too_long 200'])
  assert.equal(heard.reader.counts.line_too_long, 3)
})

test('a line too long is refused as soon as it is, and its end begins the next one', () => {
  const heard = new Heard({ lineBytesLimit: 10 })
  heard.push('0123456789')
  assert.deepEqual(heard.other, [])
  heard.push('x')
  assert.deepEqual(heard.other, ['line_too_long 10'])
  heard.push('y'.repeat(100)).push('\n').push('\n')
  assert.deepEqual(heard.other, ['line_too_long 10', 'keep_alive'])
})

test('bytes that are no UTF-8 are no JSON, and the next line is read', () => {
  const heard = new Heard()
  heard.push(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a])).push(`${BARE}}\n`)
  assert.deepEqual(heard.other, ['not_json 4'])
  assert.equal(heard.windows.length, 1)
})

test('a connection that ends inside of a line loses it, a file’s last line needs no end', () => {
  const heard = new Heard().push(`${BARE}}`)
  assert.ok(heard.reader.isInLine)
  assert.equal(heard.windows.length, 0)
  heard.reader.finish()
  assert.equal(heard.windows.length, 1)
  assert.ok(!heard.reader.isInLine)
})

test('what is read does not depend on how it is cut', () => {
  const lines = fc.constantFrom(
    `${BARE},"MetaData":"ü=é😀"}\n`,
    `${BARE},"Metadata":""}\r\n`,
    `${BARE}}\n`,
    '\n',
    '{"event":"x"}\n',
    '{"Name":"a"\n',
    `${'long '.repeat(60)}\n`,
  )
  const cuts = fc.array(fc.nat(2000), { maxLength: 30 })
  holds(
    fc.property(fc.array(lines, { maxLength: 12 }), cuts, (all, places) => {
      const bytes = Buffer.from(all.join(''))
      const whole = new Heard({ lineBytesLimit: 250 }).push(bytes)
      const pieces = new Heard({ lineBytesLimit: 250 })
      let start = 0
      for (const end of [...places, bytes.length].sort((a, b) => a - b)) {
        // The buffer is the sender's again once push has returned.
        const piece = Uint8Array.from(bytes.subarray(start, end))
        pieces.push(piece)
        piece.fill(0xee)
        start = end
      }
      assert.deepEqual(pieces.windows, whole.windows)
      assert.deepEqual(pieces.other, whole.other)
      assert.deepEqual(pieces.reader.counts, whole.reader.counts)
    }),
  )
})
