import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { binCountsOf, withRoundedWindow } from '../test/frames.ts'
import { CompatibleTotals, compatiblePercentiles, wholeSeconds } from './compatible.ts'
import { latencyLabel, throughputText } from './compatible-text.ts'

const NOW = 1_700_000_000

interface Sent {
  readonly messages: string
  readonly endS: number
  readonly periodS?: number
}

/** @param delayS of the first window; at NOW of the hub unless it is given */
function totalsOf(windows: readonly Sent[], { hubS = NOW, delayS = 0 } = {}): CompatibleTotals {
  const totals = new CompatibleTotals()
  const firstEndS = windows[0]?.endS ?? Number.POSITIVE_INFINITY
  totals.begin({ delayS, firstEndS }, hubS)
  for (const { messages, ...times } of windows) {
    withRoundedWindow(messages === '0' ? {} : { 10: messages }, times, (window) => {
      totals.add(window)
    })
  }
  return totals
}

describe('the logs of the original', () => {
  it('round halves of a second up', () => {
    assert.equal(wholeSeconds(1_500_000_000n), 2)
    assert.equal(wholeSeconds(1_499_999_999n), 1)
  })

  it('go by a clock that is late by the delay of the first window, for ever', () => {
    const windows = [NOW, NOW + 2, NOW - 299].map((endS) => ({ messages: '1', endS }))
    const late = { hubS: NOW + 3001, delayS: 3000 }
    assert.equal(totalsOf(windows, late).nowS, NOW + 1)
    assert.equal(totalsOf(windows, late).counts.total(), 3n)
    assert.equal(totalsOf(windows, { ...late, hubS: NOW + 3002 }).counts.total(), 2n)
  })

  it('state throughput over the seconds before now that have an entry, from the first end', () => {
    const windows = [
      { messages: '8', endS: NOW, periodS: 2 },
      { messages: '20', endS: NOW + 2, periodS: 2 },
      { messages: '9', endS: NOW + 5, periodS: 1 },
    ]
    const at = (hubS: number) => totalsOf(windows, { hubS })
    assert.deepEqual(at(NOW + 5).throughput(), { min: 4, median: 10, max: 10 })
    assert.deepEqual(at(NOW + 6).throughput(), { min: 4, median: 9.5, max: 10 })
    assert.deepEqual(at(NOW + 8).line(), [
      [NOW, 4],
      [NOW + 1, 10],
      [NOW + 2, 10],
      [NOW + 3, 0],
      [NOW + 4, 0],
    ])
    assert.equal(at(NOW + 1000).line().length, 299)
  })

  it('show no second before the end of the window received first', () => {
    const windows = [NOW, NOW - 5, NOW + 1].map((endS, i) => ({ messages: `${i + 1}`, endS }))
    const totals = totalsOf(windows, { hubS: NOW + 2 })
    assert.deepEqual(totals.throughput(), { min: 1, median: 2, max: 3 })
    assert.deepEqual(totals.counts.total(), 6n)
  })

  it('say 0 where there is nothing, and of empty windows too', () => {
    const nothing = { min: 0, median: 0, max: 0 }
    assert.deepEqual(totalsOf([]).throughput(), nothing)
    assert.deepEqual(totalsOf([]).line(), [])
    const empty = totalsOf([{ messages: '0', endS: NOW, periodS: 2 }], { hubS: NOW + 1 })
    assert.equal(compatiblePercentiles(empty.counts)['99.0'], '0')
    assert.deepEqual(empty.throughput(), nothing)
  })

  it('have forgotten what is older than an hour by the clock of the hub', () => {
    const windows = [NOW, NOW + 3].map((endS) => ({ messages: '1', endS }))
    const at = (hubS: number) => totalsOf(windows, { hubS, delayS: 3590 })
    assert.equal(at(NOW + 3600).counts.total(), 2n)
    assert.equal(at(NOW + 3601).counts.total(), 1n)
    assert.deepEqual(at(NOW + 3601).perSecond(), [[NOW + 3, 1]])
  })

  it('take in any end and period without growing', () => {
    const wild = [0, 2 ** 53, NOW].map((endS) => ({ messages: '7', endS, periodS: 2 ** 34 }))
    const totals = totalsOf(wild, { hubS: NOW + 1 })
    assert.equal(totals.perSecond().length, 302)
    // what ends in the future counts at once, as there is no upper limit
    assert.equal(totals.counts.total(), 14n)
  })

  it('add without losing a digit', () => {
    const large = { messages: `${2n ** 60n + 2n}`, endS: NOW }
    const totals = totalsOf([large, large], { hubS: NOW + 1 })
    assert.deepEqual(totals.perSecond(), [[NOW, 2n ** 61n + 4n]])
  })

  it('have a median beyond 2^53 that is exact, and not below their least', () => {
    const odd = 2n ** 54n + 1n
    const inOrder = (counts: readonly bigint[]) => {
      const totals = new CompatibleTotals()
      totals.begin({ delayS: 0, firstEndS: NOW - counts.length }, NOW + 1)
      for (const [i, messages] of counts.entries()) {
        const times = { endS: NOW - i, periodS: 1 }
        withRoundedWindow({ 10: `${messages}` }, times, (window) => totals.add(window))
      }
      return totals.throughput()
    }
    assert.deepEqual(inOrder([odd, odd]), { min: odd, median: odd, max: odd })
    assert.deepEqual(inOrder([odd, odd + 1n]), { min: odd, median: odd, max: odd + 1n })
  })
})

describe('numbers of the original', () => {
  it('are those that its own program gave', () => {
    const counts = binCountsOf({ 10: '91', 20: '5', 22: '4', 64: '1' })
    assert.deepEqual(Object.values(compatiblePercentiles(counts)), [
      ...['1024', '1048576', '4194304', '18446744073709551616', '18446744073709551616'],
    ])
  })

  it('round halves up, and a period of 0 counts as 1 s', () => {
    const each = (messages: bigint, periodS: number) =>
      totalsOf([{ messages: `${messages}`, endS: NOW, periodS }], { hubS: NOW + 1 }).perSecond()
    assert.deepEqual(each(5n, 2), [[NOW, 3]])
    assert.deepEqual(each(4n, 3), [[NOW, 1]])
    assert.deepEqual(each(7n, 0), [[NOW, 7]])
    assert.deepEqual(each(2n ** 54n + 2n, 4), [[NOW, 2 ** 52 + 1]])
  })

  it('are written with halves of the decimal, not of the double', () => {
    assert.equal(throughputText(15), '0.02k')
    assert.equal(throughputText(1005), '1.01k')
    assert.equal(throughputText(10_500), '11k')
    assert.equal(latencyLabel('2147483648'), '> 1 s')
  })
})
