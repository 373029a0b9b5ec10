import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meantWords, nearestWord } from './nearest.ts'

const NAMES = ['statshero', 'scope', 'wallaroo', 'eventcounters', 'proxywasm']

test('a word some letters off is the one that was meant', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['statsher', 'statshero'],
    ['stats-hero', 'statshero'],
    ['Scope', 'scope'],
    ['scpoe', 'scope'],
    ['walaroo', 'wallaroo'],
    ['eventcounter', 'eventcounters'],
    ['proxy-wasm', 'proxywasm'],
  ]
  for (const [word, meant] of cases) assert.equal(nearestWord(word, NAMES), meant, word)
})

test('a word that is far from all is no guess', () => {
  for (const word of ['', 'x', 'influx', 'graphite', 'prometheus', 'a'.repeat(100_000)]) {
    assert.equal(nearestWord(word, NAMES), undefined, word.slice(0, 20))
  }
  assert.equal(meantWords('influx', NAMES), '')
  assert.equal(meantWords('scop', NAMES), '; did you mean scope?')
})
