import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { binningOf, binOf, isInBin, wholeLatency } from './binning.ts'
import { highHalf, lowHalf } from './halves.ts'

const ROOT = new URL('../../../../', import.meta.url)
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })

describe('bins', () => {
  it('differ between the rules for exact powers of two and nowhere else', () => {
    for (let k = 0n; k < 64n; k++) {
      const power = 2n ** k
      assert.equal(binOf(power, 'document'), Number(k), `${power}`)
      assert.equal(binOf(power, 'peer'), Number(k) + 1, `${power}`)
      for (const beside of [power - 1n, power + 1n]) {
        const isPower = (beside & (beside - 1n)) === 0n && beside > 0n
        const difference = binOf(beside, 'peer') - binOf(beside, 'document')
        assert.equal(difference, isPower ? 1 : 0, `${beside}`)
      }
    }
  })

  it('have 2^i as an upper bound, inclusive, and their halves below', () => {
    holds(
      fc.property(u64, (value) => {
        for (const rule of ['document', 'peer'] as const) {
          const bin = BigInt(binOf(value, rule))
          assert.ok(value <= 2n ** bin)
          assert.ok(bin === 0n || 2n * value >= 2n ** bin)
          assert.ok(isInBin(highHalf(value), lowHalf(value), Number(bin)))
        }
      }),
      1000,
    )
  })

  it('are in the appendix of the format, all 65, with the ranges that the rule gives', () => {
    const text = readFileSync(new URL('docs/formats/wallaroo.md', ROOT), 'utf8')
    const rows = [...text.matchAll(/^\| (\d+) \| ([\d,]+) \| ([\d,]+) < x ≤ ([\d,]+) \| .+ \|$/gm)]
    const whole = (words: string) => BigInt(words.replaceAll(',', ''))
    assert.deepEqual(
      rows.map(([, bin]) => Number(bin)),
      Array.from({ length: 65 }, (_, i) => i),
    )
    for (const [, bin, power, above, upTo] of rows) {
      assert.deepEqual([whole(power!), whole(upTo!)], [2n ** BigInt(bin!), 2n ** BigInt(bin!)])
      assert.equal(binOf(whole(above!) + 1n, 'document'), Number(bin))
      // 2^64 itself is no u64: what is measured ends one below
      const last = whole(upTo!) === 2n ** 64n ? 2n ** 64n - 1n : whole(upTo!)
      assert.equal(binOf(last, 'document'), Number(bin))
    }
  })

  it('are the same for a number and a bigint of one value', () => {
    holds(
      fc.property(fc.maxSafeInteger(), (n) => {
        const value = Math.abs(n)
        assert.equal(binOf(value, 'document'), binOf(BigInt(value), 'document'))
        assert.equal(binOf(value, 'peer'), binOf(BigInt(value), 'peer'))
      }),
    )
    assert.equal(binOf(2 ** 63, 'document'), 63)
    assert.equal(binOf(2 ** 64 - 2048, 'peer'), 64)
  })
})

describe('latencies', () => {
  it('are rounded up by the document and down by the peer, so that they stay in their bin', () => {
    assert.equal(wholeLatency(4.5, 'document'), 5)
    assert.equal(wholeLatency(4.5, 'peer'), 4)
    assert.equal(wholeLatency(0.25, 'peer'), 0)
    assert.equal(wholeLatency(2n ** 64n - 1n, 'peer'), 2n ** 64n - 1n)
  })

  it('are none where negative, not finite or too large', () => {
    for (const value of [-1, -0.5, -1n, Number.NaN, Infinity, -Infinity, 2 ** 64, 2n ** 64n]) {
      assert.equal(wholeLatency(value, 'document'), undefined, `${value}`)
      assert.equal(wholeLatency(value, 'peer'), undefined, `${value}`)
    }
  })
})

describe('evidence of a rule', () => {
  it('is a power of two in the bin that only one rule gives it', () => {
    assert.equal(binningOf(0, 1024, 10), 'document')
    assert.equal(binningOf(0, 1024, 11), 'peer')
    assert.equal(binningOf(0, 1, 0), 'document')
    assert.equal(binningOf(0, 1, 1), 'peer')
    assert.equal(binningOf(1, 0, 33), 'peer')
    assert.equal(binningOf(0, 1000, 10), undefined)
    assert.equal(binningOf(0, 0, 0), undefined)
  })
})
