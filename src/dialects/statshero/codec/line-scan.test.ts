import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { type LineErrorCode, TYPE_WORDS } from '../spec.ts'
import { hashKey } from './key-hash.ts'
import { scanLines } from './line-scan.ts'
import type { LineRules, LineVisitor } from './line-visitor.ts'

const PEER: LineRules = { isStrict: false, maxValueDigits: 100 }
const DOCUMENT: LineRules = { isStrict: true, maxValueDigits: 100 }

type Seen = [key: string, value: string, type: string, rate?: number] | [LineErrorCode, number]

class Recording implements LineVisitor {
  readonly seen: Seen[] = []

  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    assert.ok(Number.isSafeInteger(value) && !Object.is(value, -0))
    this.#add(bytes, keyStart, keyEnd, hash, type, String(value), rate)
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const value = BigInt(text(bytes, valueStart, valueEnd))
    assert.ok(value > 2n ** 53n - 1n || value < -(2n ** 53n) + 1n)
    this.#add(bytes, keyStart, keyEnd, hash, type, String(value), rate)
  }

  #add(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: string,
    rate: number,
  ): void {
    assert.equal(hash, hashKey(bytes, keyStart, keyEnd), 'the same hash whichever way a line went')
    const key = text(bytes, keyStart, keyEnd)
    const word = TYPE_WORDS[type]!
    this.seen.push(Number.isNaN(rate) ? [key, value, word] : [key, value, word, rate])
  }

  badLine(code: LineErrorCode, _b: Uint8Array, _s: number, _e: number, offset: number): void {
    this.seen.push([code, offset])
  }
}

function text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1')
}

function scan(body: string, rules = PEER): Seen[] {
  const bytes = Buffer.from(body, 'latin1')
  const recording = new Recording()
  scanLines(bytes, 0, bytes.length, 0, rules, recording)
  return recording.seen
}

/** What was seen of a line that begins this far behind the first one. */
function moved(seen: Seen, start: number): Seen {
  return seen.length === 2 ? [seen[0], seen[1] + start] : seen
}

suite('lines', () => {
  test('a line gives key, value, type and rate; lines without LF and empty lines are fine', () => {
    assert.deepEqual(scan('a:1|m\n\nb:-2|h|@0.5\nc:3|mr\n\n\nd:4|g'), [
      ['a', '1', 'm'],
      ['b', '-2', 'h', 0.5],
      ['c', '3', 'mr'],
      ['d', '4', 'g'],
    ])
    assert.deepEqual(scan(''), [])
    assert.deepEqual(scan('\n\n'), [])
  })

  test('values are exact at the edges of digit counts and of the safe integers', () => {
    const values = ['999999999', '9999999999', '999999999999999', '9007199254740991']
    values.push('9007199254740992', '18446744073709551616', '-9007199254740992', '1'.repeat(100))
    const body = values.map((value) => `k:${value}|g\n`).join('')
    assert.deepEqual(
      scan(body),
      values.map((value) => ['k', value, 'g']),
    )
  })

  test('the digit limit counts leading zeros and leaves out the sign', () => {
    const rules = { isStrict: false, maxValueDigits: 3 }
    assert.deepEqual(scan('a:-999|g\nb:0001|g\nc:+12|g\nd:1234|g\n', rules), [
      ['a', '-999', 'g'],
      ['bad_value', 11],
      ['c', '12', 'g'],
      ['bad_value', 28],
    ])
  })

  test('the offset of an error is that of the field that is wrong', () => {
    assert.deepEqual(scan('ok:1|m\nbad\n:1|m\nx:y|m\nx:1|c\nx:1|m|0.5\nx:1|mr|@1\n'), [
      ['ok', '1', 'm'],
      ['parse_error', 7],
      ['empty_key', 11],
      ['bad_value', 18],
      ['unknown_type', 26],
      ['bad_sample_rate', 34],
      ['bad_sample_rate', 45],
    ])
  })

  test('the first of several errors in a line counts', () => {
    assert.deepEqual(
      scan(':x|q|5\nk:x|q|5\nk:1|q|5\n:x\n').map(([code]) => code),
      ['empty_key', 'bad_value', 'unknown_type', 'parse_error'],
    )
  })

  test('many lines at once are read as each of them alone', () => {
    const part = fc.oneof(
      fc.constantFrom(':', '|', '*', '\x1a', '9', ';', '{', '\0', '\x80', '\xff', 'mr', '|@0.5'),
      fc.constantFrom('app.requests', 'service', '.m1', ':42|m', ':-1|h|@0.1', ':7|g'),
    )
    const line = fc.array(part, { maxLength: 8 }).map((parts) => `${parts.join('')}\n`)
    holds(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const seen = scan(lines.join(''))
        let start = 0
        const alone = lines.flatMap((text) => {
          const found = scan(text).map((each) => moved(each, start))
          start += text.length
          return found
        })
        assert.deepEqual(seen, alone)
      }),
    )
  })

  test('bytes behind the end are not looked at, bytes before the start neither', () => {
    const bytes = Buffer.from('1|9\nx:1|m|@0.5|m\n')
    for (let end = 4; end <= bytes.length; end++) {
      const cut = new Recording()
      scanLines(bytes, 4, end, 4, PEER, cut)
      assert.deepEqual(cut.seen, scan(bytes.toString().slice(4, end)), `up to ${end}`)
    }
  })

  test('offsets count from the packet, even where its header is not in these bytes', () => {
    const recording = new Recording()
    scanLines(Buffer.from('bad\n'), 0, 4, -4, PEER, recording)
    assert.deepEqual(recording.seen, [['parse_error', 4]])
  })
})

suite('lines under the strict grammar', () => {
  test('what the document says is taken', () => {
    assert.deepEqual(scan('a.B9:007|m\nx:1|h|@0.10\n', DOCUMENT), [
      ['a.B9', '7', 'm'],
      ['x', '1', 'h', 0.1],
    ])
  })

  for (const [line, code] of [
    ['a_b:1|m\n', 'bad_key'],
    ['a..b:1|m\n', 'bad_key'],
    ['.a:1|m\n', 'bad_key'],
    ['a.:1|m\n', 'bad_key'],
    [':1|m\n', 'empty_key'],
    ['a:-1|g\n', 'bad_value'],
    ['a:+1|g\n', 'bad_value'],
    ['a:1|M\n', 'unknown_type'],
    ['a:1|m|@1.0\n', 'bad_sample_rate'],
    ['a:1|m|@0.\n', 'bad_sample_rate'],
    ['a:1|m|@0.5e1\n', 'bad_sample_rate'],
    ['a:1|m|@00.5\n', 'bad_sample_rate'],
    ['\n', 'parse_error'],
    ['a:1|m', 'parse_error'],
  ] as const) {
    test(`refuses ${JSON.stringify(line)} as ${code}, and nothing beside it`, () => {
      const seen = scan(`ok:1|m\n${line}`, DOCUMENT)
      assert.deepEqual(seen.length, 2)
      assert.equal(seen[1]![0], code)
    })
  }
})

/** The grammar of §3.2 once more, as slow and plain as can be. */
function plainScan(body: string): (string | undefined)[][] {
  const lines = body.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const colon = line.indexOf(':')
    const bar = line.indexOf('|')
    if (bar < 0 || colon < 0 || colon > bar) return ['parse_error']
    if (colon === 0) return ['empty_key']
    const [value, type, ...rest] = line.slice(colon + 1).split('|')
    if (!/^[+-]?\d{1,100}$/.test(value!)) return ['bad_value']
    if (!['m', 'mr', 'g', 'h'].includes(type!)) return ['unknown_type']
    const [rate] = rest
    if (rate === undefined) return [line.slice(0, colon), String(BigInt(value!)), type]
    const isRate = rest.length === 1 && /^@[+-]?\d+\.\d+([eE][+-]?\d+)?$/.test(rate)
    if (!isRate || !Number.isFinite(Number(rate.slice(1)))) return ['bad_sample_rate']
    return [line.slice(0, colon), String(BigInt(value!)), type, String(Number(rate.slice(1)) + 0)]
  })
}

test('fast path, slow path and the grammar written plainly agree on any bytes', () => {
  const piece = fc.constantFrom(
    ...['a', 'k.1', ':', '|', '|@', '@', '\n', '-', '+', '0', '42', '.', '0.5', '1e3', 'e-9'],
    ...['m', 'mr', 'g', 'h', 'q', '9007199254740993', '\r', '\0', '|m\n', '|h|@0.1\n', 'x:1|m\n'],
  )
  holds(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const body = pieces.join('')
      const seen = scan(body).map((item) =>
        typeof item[1] === 'number' ? [item[0]] : item.map(String),
      )
      assert.deepEqual(seen, plainScan(body))
    }),
    3000,
  )
})
