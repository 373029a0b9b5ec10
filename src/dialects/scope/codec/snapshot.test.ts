import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decode as referenceDecode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { compareUtf8, toHex } from '../../../model/index.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import type { Snapshot } from '../spec.ts'
import { hex, VECTORS } from '../test/golden.ts'
import { encodeSettings, encodeSnapshot } from './encode.ts'
import { frame } from './framing.ts'
import { toPlain } from './messages.ts'
import { decodePacket, PacketDecoder } from './packet.ts'
import { decodeSettings } from './settings.ts'
import { SnapshotTemplate } from './snapshot-template.ts'

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const names = fc.uniqueArray(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('__proto__', 'constructor', '10', '2', '', '\u{1f600}', '\uffff'),
  ),
  { selector: (name) => name.toWellFormed(), maxLength: 30 },
)

function rendered(template: SnapshotTemplate, t: bigint, values: readonly number[]): string {
  const entries = template.blank()
  template.fill(entries, values)
  return toHex(template.head(t, 'bare')) + toHex(entries)
}

describe('time and interval', () => {
  it('are written in the shortest unsigned form and come back as they were', () => {
    holds(
      fc.property(u64, (value) => {
        const settings = encodeSettings(value === 0n ? 1n : value)
        assert.equal(decodeSettings(settings).samplingIntervalNs, value === 0n ? 1n : value)
        const snapshot = encodeSnapshot(value, [])
        assert.equal((decodePacket(snapshot, { strict: true }) as Snapshot).t, value)
        const width =
          value < 128n ? 1 : value < 256n ? 2 : value < 65536n ? 3 : value < 2n ** 32n ? 5 : 9
        assert.equal(snapshot.length, 6 + width)
      }),
      10_000,
    )
  })

  it('in float seconds are rounded to the nearest nanosecond, exactly', () => {
    const t = (seconds: number): bigint => {
      const bytes = hex('82a174cb0000000000000000a16480')
      new DataView(bytes.buffer).setFloat64(4, seconds)
      return (decodePacket(bytes) as Snapshot).t
    }
    assert.equal(t(0.1), 100_000_000n)
    assert.equal(t(1e-9), 1n)
    assert.equal(t(4.9e-10), 0n)
    assert.equal(t(5e-324), 0n)
    assert.equal(t(-0), 0n)
    // 2^-10 s is 976562.5 ns and 3 * 2^-10 s is 2929687.5 ns: ties go to the even neighbour.
    assert.equal(t(2 ** -10), 976_562n)
    assert.equal(t(3 * 2 ** -10), 2_929_688n)
    assert.equal(t(18_446_744_073), 18_446_744_073_000_000_000n)
    assert.throws(() => t(18_446_744_074), { code: 'bad_time' })
  })

  it('as text or pair are refused beyond 2^64 - 1, however long the text is', () => {
    const withTime = (time: string) => hex(`82a174${time}a16480`)
    const text = (digits: string) =>
      `da${digits.length.toString(16).padStart(4, '0')}${Buffer.from(digits).toString('hex')}`
    const t = (time: string) => (decodePacket(withTime(time)) as Snapshot).t
    assert.equal(t(text('18446744073709551615')), 2n ** 64n - 1n)
    assert.equal(t(text(`+${'0'.repeat(400)}7`)), 7n)
    assert.equal(t('9201ceffffffff'), 5_294_967_295n)
    assert.equal(t('92d00100'), 1_000_000_000n)
    for (const time of [
      text('18446744073709551616'),
      text('9'.repeat(60_000)),
      text('+'),
      text('-1'),
      '9201cf0000000100000000',
      '93010203',
      '92ff00',
      '92ca3f80000000',
    ]) {
      assert.throws(() => t(time), { code: 'bad_time' }, time.slice(0, 60))
    }
  })
})

describe('snapshots', () => {
  it('of any names and values come back, sorted, as doubles', () => {
    holds(
      fc.property(
        names,
        u64,
        fc.array(fc.double(), { minLength: 30, maxLength: 30 }),
        (list, t, v) => {
          const bytes = encodeSnapshot(
            t,
            list.map((name, i) => [name, v[i]!]),
          )
          const { names: found, values } = decodePacket(bytes, { strict: true }) as Snapshot
          const expected = list
            .map((name, i) => [name.toWellFormed(), v[i]!] as const)
            .sort((a, b) => compareUtf8(a[0], b[0]))
          assert.deepEqual(
            found.map((name, i) => [name, values[i]]),
            expected,
          )
          const utf8 = found.map((name) => Buffer.from(name))
          assert.ok(utf8.every((name, i) => i === 0 || Buffer.compare(utf8[i - 1]!, name) < 0))
        },
      ),
      300,
    )
  })

  it('read like another decoder reads them', () => {
    const bytes = encodeSnapshot(5n, [
      ['b', 42],
      ['a', -1.5],
    ])
    assert.deepEqual(referenceDecode(bytes), { t: 5, d: { a: -1.5, b: 42 } })
  })

  it('from a template are the same bytes as from the encoder', () => {
    holds(
      fc.property(
        names,
        u64,
        fc.array(fc.double(), { minLength: 30, maxLength: 30 }),
        (list, t, v) => {
          const sorted = list.map((name) => name.toWellFormed()).sort(compareUtf8)
          const template = new SnapshotTemplate(sorted)
          const expected = encodeSnapshot(
            t,
            sorted.map((name, i) => [name, v[i]!]),
          )
          assert.equal(rendered(template, t, v), toHex(expected))
          const framed =
            toHex(template.head(t, 'framed')) + toHex(expected).slice(-2 * template.size)
          assert.equal(framed, toHex(frame(expected)))
        },
      ),
      300,
    )
  })

  it('are read along the last one without a difference, whatever changes between them', () => {
    const change = fc.constantFrom('values', 'time', 'names', 'order', 'integer', 'extra', 'cut')
    holds(
      fc.property(
        names,
        fc.array(fc.tuple(change, u64, fc.double()), { maxLength: 12 }),
        (list, steps) => {
          const decoder = new PacketDecoder()
          let current = list
          for (const [kind, t, value] of steps) {
            if (kind === 'names') current = [...current.slice(1), `new ${t}`]
            let bytes: Uint8Array = encodeSnapshot(
              t,
              current.map((name, i) => [name, value + i]),
            )
            if (kind === 'extra') bytes = new Uint8Array([...bytes, 0xff])
            if (kind === 'cut') bytes = bytes.subarray(0, bytes.length - 1)
            if (kind === 'integer') bytes = hex('82a17405a16481a16107')
            if (kind === 'order') bytes = hex(`82a164${'80'}a17405`)
            assert.deepEqual(
              outcome(() => decoder.decode(bytes)),
              outcome(() => decodePacket(bytes)),
            )
          }
        },
      ),
      500,
    )
  })

  it('keep their array of names while it stays the same, and follow when it changes', () => {
    const decoder = new PacketDecoder()
    const read = (t: bigint, values: Record<string, number>) =>
      decoder.decode(encodeSnapshot(t, Object.entries(values))) as Snapshot
    const first = read(0n, { a: 1, b: 2 })
    const second = read(2n ** 40n, { a: 3, b: 4 })
    assert.equal(second.names, first.names)
    assert.deepEqual([...second.values], [3, 4])
    const third = read(7n, { a: 3, c: 4 })
    assert.deepEqual(third.names, ['a', 'c'])
    assert.equal(read(8n, { a: 5, c: 6 }).names, third.names)
  })

  function outcome(read: () => ReturnType<typeof decodePacket>): unknown {
    try {
      return toPlain(read())
    } catch (error) {
      if (error instanceof DecodeError) return error.code
      throw error
    }
  }
})

describe('damaged packets', () => {
  it('cut off at any offset are malformed or a shorter legal value, never anything else', () => {
    const payloads = [
      ...VECTORS.information,
      ...VECTORS.snapshot,
      ...VECTORS.client_settings,
      ...VECTORS.accepted_variants,
    ].map((each) => hex(each.payload_hex))
    for (const payload of payloads) {
      for (let end = 0; end < payload.length; end++) {
        // A copy: a read beyond the end would not find the rest by accident.
        const cut = payload.slice(0, end)
        for (const decode of [decodePacket, decodeSettings]) {
          try {
            decode(cut)
          } catch (error) {
            assert.ok(error instanceof DecodeError)
            assert.ok(error.offset <= cut.length)
          }
        }
      }
    }
  })

  it('that claim 2^32 - 1 entries are refused before anything is allocated for them', () => {
    for (const text of ['82a17405a164dfffffffff', '81a76d657472696373dfffffffff', 'ddffffffff']) {
      assert.throws(() => decodePacket(hex(text)), { code: 'bad_msgpack' })
    }
  })

  it('lose only the entries that cannot be used', () => {
    const unnamed = hex('81a76d65747269637382c081a66c6162656c7380a16281a66c6162656c7380')
    assert.deepEqual(toPlain(decodePacket(unnamed)), {
      kind: 'info',
      metrics: [['b', []]],
      dropped: 1,
    })
  })
})
