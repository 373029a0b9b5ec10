import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageRates } from './message-rates.ts'

const SECOND_NS = 1_000_000_000n

function measure(seconds: readonly Readonly<Record<string, number>>[]): readonly number[] {
  const rates = new MessageRates(0n)
  seconds.forEach((counts, i) => {
    for (const [category, messages] of Object.entries(counts)) rates.count(category, messages)
    rates.close(BigInt(i + 1) * SECOND_NS)
  })
  return rates.recent
}

test('windows that come every other second make a steady rate', () => {
  const one = { 'start-to-end': 800 }
  assert.deepEqual(measure([{}, one, {}, one, {}, one]), [0, 400, 400, 400, 400, 400])
})

test('a message that went through three computations is one', () => {
  const both = { computation: 300, 'start-to-end': 100 }
  assert.deepEqual(measure([both, both]), [100, 100])
  const parts = { computation: 300, 'node-ingress-egress': 100 }
  assert.deepEqual(measure([parts, parts]), [300, 300], 'where no pipeline reports its whole')
})

test('a standstill is spread over its seconds, and a minute is kept', () => {
  const rates = new MessageRates(0n)
  rates.count('start-to-end', 400)
  rates.close(4n * SECOND_NS)
  assert.deepEqual(rates.recent, [100, 100, 100, 100])
  rates.close(500n * SECOND_NS)
  assert.deepEqual([rates.recent.length, rates.recent.at(-1)], [60, 0])
})
