/**
 * Dialect eventcounters: whatever arrives, lines are read the same however they are cut, only
 * errors of the closed set come, what was read can be written and read again; interval texts,
 * metadata and filters give what their grammars allow and never throw anything else.
 */
import assert from 'node:assert/strict'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import type { Profile } from '../../decoder.ts'
import { FilterError, matchesCounter, parseFilter } from '../codec/filter.ts'
import { parseInterval } from '../codec/interval.ts'
import { buildMetaData, parseMetaData } from '../codec/metadata.ts'
import { parseRateScale, rateScaleText } from '../codec/rate-scale.ts'
import { createDecoder, encodeEventCounters } from '../codec.ts'
import { ERROR_CODES } from '../spec.ts'
import { FILTER_FAULTS } from './filter-faults.ts'
import { samples } from './samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const FILTER_TEXTS: ReadonlySet<string> = new Set(Object.values(FILTER_FAULTS))
const PROFILES: readonly Profile[] = ['document', 'peer']

/** Who reads the bytes before the last one, which says it; most lines end in no digit. */
const GRAMMARS: Readonly<Record<string, 'metadata' | 'filter' | 'interval'>> = {
  1: 'metadata',
  2: 'filter',
  3: 'interval',
}

interface Found {
  readonly messages: readonly unknown[]
  readonly errors: readonly string[]
  readonly notes: readonly string[]
}

function read(pieces: readonly Uint8Array[]): Found {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  const { messages, notes } = decoder
  return { messages, notes, errors: decoder.errors.map(({ code }) => code) }
}

function cut(bytes: Uint8Array): Uint8Array[] {
  // The first byte decides where: the cut must depend on the bytes alone.
  const size = 1 + ((bytes[0] ?? 0) % 13)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  return pieces
}

function checkLines(bytes: Uint8Array): void {
  const found = read([bytes])
  for (const code of found.errors) assert.ok(CODES.has(code), code)
  assert.deepEqual(read(cut(bytes)), found)
  const again = read(encodeEventCounters(found.messages))
  assert.deepEqual([again.errors, again.messages], [[], found.messages])
}

function checkMetaData(text: string): void {
  for (const profile of PROFILES) {
    const { pairs, units = '' } = parseMetaData(text, profile)
    const again = parseMetaData(buildMetaData(pairs, units, profile), profile)
    const isWhole = again.pairs.length === pairs.length && (again.units ?? '') === units
    assert.ok(isWhole && again.malformed === 0 && again.repeated === 0, text)
    for (const [i, [key, value]] of pairs.entries()) {
      assert.deepEqual(again.pairs[i], [key, value], text)
    }
  }
  checkRateScale(text)
}

function checkRateScale(text: string): void {
  for (const profile of PROFILES) {
    const seconds = parseRateScale(text, profile)
    if (seconds === undefined || seconds === 0) continue
    const again = parseRateScale(rateScaleText(seconds, profile), profile)
    assert.ok(Math.abs(again! - seconds) <= seconds * 1e-9, text)
  }
}

function checkFilter(text: string): void {
  try {
    const groups = parseFilter(text)
    assert.equal(new Set(groups.map(({ provider }) => provider)).size, groups.length, text)
    for (const { provider, counters } of groups) {
      assert.notEqual(provider, '')
      assert.ok(counters.every((name) => name !== ''))
      const loud = provider.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
      assert.ok(matchesCounter(groups, loud, counters[0] ?? 'any'), text)
    }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    assert.ok(FILTER_TEXTS.has(error.message), error.message)
  }
}

function checkInterval(text: string, largestSec: number): void {
  const document = parseInterval(text, 'document')
  if (document.kind === 'run') {
    const seconds = document.intervalMs / 1000
    assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= largestSec, text)
    assert.equal(BigInt(text.trim()), BigInt(seconds))
  } else assert.equal(document.kind, 'stop')
  const peer = parseInterval(text, 'peer')
  if (peer.kind !== 'run') return
  assert.ok(Number.isInteger(peer.intervalMs) && peer.intervalMs > 0, text)
  assert.ok(peer.intervalMs <= 2_147_483_647, text)
}

function check(bytes: Uint8Array, largestSec: number): void {
  const grammar = GRAMMARS[String.fromCharCode(bytes.at(-1) ?? 0)]
  if (grammar === undefined) {
    checkLines(bytes)
    return
  }
  const text = Buffer.from(bytes.subarray(0, -1)).toString()
  if (grammar === 'metadata') checkMetaData(text)
  else if (grammar === 'filter') checkFilter(text)
  else checkInterval(text, largestSec)
}

const METADATA = ['key1=value1,key2=value2', 'k:a,b,c:d', ':v,k:w,k:x', 'DisplayUnits=MB,a=b=c']
const SCALES = ['00:01:00', '2.00:00:00.1000000', '0.1', '60']
const FILTERS = [
  ...['System.Runtime[cpu-usage,exception-count],MyApp', 'EventCounters\\A[x],A,B[]'],
  ...['A[x,y], B ,A[z]', 'a[x],A[x],', '[x]', 'EventCounters\\A,EventCounters\\A[]', ' A[b][c]'],
]
const INTERVALS = ['1', ' 0002 ', '4294967295', '4294967296', '1.5', '1e1', '1,000', '-1', 'NaN']

/** The text before the digit that chooses its grammar. */
function chosen(digit: '1' | '2' | '3'): (text: string) => Uint8Array {
  return (text) => Buffer.from(text + digit)
}

export const target: FuzzTarget = {
  name: 'eventcounters',

  seeds: () => [
    ...samples.streams.map(({ bytes }) => bytes),
    ...samples.faulty.map(({ bytes }) => bytes).filter(({ length }) => length < 4096),
    ...samples.spoken.flatMap(({ messages }) => encodeEventCounters(messages)),
    ...[...METADATA, ...SCALES].map(chosen('1')),
    ...FILTERS.map(chosen('2')),
    ...INTERVALS.map(chosen('3')),
  ],

  run: (bytes) => check(bytes, 4_294_967_295),

  canary: {
    fault: 'seconds that do not fit 31 bits are thought impossible',
    run: (bytes) => check(bytes, 2_147_483_647),
  },
}
