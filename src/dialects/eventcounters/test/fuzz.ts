/**
 * Dialect eventcounters: whatever arrives, lines are read the same however they are cut, only
 * errors of the closed set come, what the grammar meant is what is read, and what was read can be
 * written and read again; queries, interval texts, metadata and filters give what their grammars
 * allow and never throw anything else.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import { hasEscapedName } from '../../../../test/fuzz/engine/json.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { Transcript } from '../../../../test/fuzz/engine/transcript.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import type { Profile } from '../../decoder.ts'
import { FilterError, matchesCounter, parseFilter } from '../codec/filter.ts'
import { parseInterval } from '../codec/interval.ts'
import { LineReader } from '../codec/line.ts'
import { buildMetaData, parseMetaData } from '../codec/metadata.ts'
import { parseRateScale, rateScaleText } from '../codec/rate-scale.ts'
import type { ReadWindow } from '../codec/read.ts'
import { createDecoder, encodeEventCounters } from '../codec.ts'
import { parseQuery, QueryError } from '../server/query.ts'
import { ERROR_CODES, PATH } from '../spec.ts'
import { FILTER_FAULTS } from './filter-faults.ts'
import { LINE_LIMIT, LineStream } from './fuzz/line-grammar.ts'
import { makeQuery } from './fuzz/query-grammar.ts'
import { samples } from './samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const FILTER_TEXTS: ReadonlySet<string> = new Set(Object.values(FILTER_FAULTS))
const PROFILES: readonly Profile[] = ['document', 'peer']
/** Messages are written and read again for one input in so many. */
const WRITING_ONCE_IN = 8

const stream = new LineStream()
const [found, wanted] = [new Transcript(), new Transcript()]

/** Writes down what a reader makes of lines. */
function readLines(said: Transcript, bytes: Uint8Array, random?: Random): void {
  said.reset()
  const reader = new LineReader(
    {
      onWindow: (window) => sayWindow(said, window),
      onIgnored: (reason) => said.add('ignored').add(reason),
      onError(code, line) {
        assert.ok(CODES.has(code), code)
        assert.ok(line.length <= LINE_LIMIT, `${line.length} bytes held`)
        said.add('error').add(code)
      },
    },
    { lineBytesLimit: LINE_LIMIT },
  )
  if (random === undefined) reader.push(bytes)
  else forEachPiece(random, bytes, (piece) => reader.push(piece))
  reader.finish()
}

function sayWindow(said: Transcript, window: ReadWindow): void {
  const { counter, statistics } = window
  said.add('window').add(window.provider).add(window.timeMs).add(window.profile).add(counter.name)
  said.add(statistics.kind === 'sum' ? 'Sum' : 'Mean').add(counter.displayName)
  said.add(window.seriesMs).add(window.intervalSec).add(counter.rateScaleSec).add(counter.units)
  for (const [key, value] of counter.metaData) said.add(key).add(value)
  said.add(counter.hasTags === true ? 'tags' : '')
  if (statistics.kind === 'sum') said.add(statistics.increment)
  else {
    said.add(statistics.mean).add(statistics.count).add(statistics.deviation)
    said.add(statistics.min).add(statistics.max)
  }
  const { histogram } = window
  if (histogram === undefined) return
  said.add('buckets').add(histogram.scale).add(String(histogram.count)).add(String(histogram.sum))
  for (const side of [histogram.negative, histogram.positive]) {
    side.forEach((index, count) => void said.add(index).add(String(count)))
  }
}

function checkLines(bytes: Uint8Array, random: Random): void {
  readLines(wanted, bytes)
  if (hasEscapedName(bytes)) return
  readLines(found, bytes, random)
  found.mustEqual(wanted, 'read in pieces and in whole')
  if (random.isOnceIn(WRITING_ONCE_IN)) checkWriting(bytes)
}

function checkWriting(bytes: Uint8Array): void {
  const read = (pieces: readonly Uint8Array[]) => {
    const decoder = createDecoder()
    for (const piece of pieces) decoder.push(piece)
    decoder.end()
    return decoder
  }
  const { messages } = read([bytes])
  const again = read(encodeEventCounters(messages))
  assert.deepEqual([again.errors, again.messages], [[], messages])
}

function checkMetaData(text: string): void {
  for (const profile of PROFILES) {
    const { pairs, units = '' } = parseMetaData(text, profile)
    const again = parseMetaData(buildMetaData(pairs, units, profile), profile)
    const isWhole = again.pairs.length === pairs.length && (again.units ?? '') === units
    assert.ok(isWhole && again.malformed === 0, text)
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

function checkQuery(target: string): void {
  try {
    const { profile, deliver, filter } = parseQuery(target)
    assert.ok(PROFILES.includes(profile) && ['own', 'all'].includes(deliver))
    assert.ok(filter === undefined || filter.length > 0)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
  }
}

function checkTexts(bytes: Uint8Array, random: Random, largestSec: number): void {
  const text = Buffer.from(bytes).toString()
  const query = text.slice(text.indexOf('?') + 1)
  checkQuery(text)
  const grammar = random.below(4)
  if (grammar === 0) checkMetaData(query)
  else if (grammar === 1) checkFilter(query)
  else checkInterval(query, largestSec)
}

const METADATA = ['key1=value1,key2=value2', 'k:a,b,c:d', ':v,k:w,k:x', 'DisplayUnits=MB,a=b=c']
const SCALES = ['00:01:00', '2.00:00:00.1000000', '0.1', '60']
const FILTERS = [
  ...['System.Runtime[cpu-usage,exception-count],MyApp', 'EventCounters\\A[x],A,B[]'],
  ...['A[x,y], B ,A[z]', 'a[x],A[x],', '[x]', 'EventCounters\\A,EventCounters\\A[]', ' A[b][c]'],
]
const INTERVALS = ['1', ' 0002 ', '4294967295', '4294967296', '1.5', '1e1', '1,000', '-1', 'NaN']

const lines: FuzzTarget = {
  name: 'eventcounters',

  seeds: () => [
    ...samples.streams.map(({ bytes }) => bytes),
    ...samples.faulty.map(({ bytes }) => bytes).filter(({ length }) => length < 4096),
    ...samples.spoken.flatMap(({ messages }) => encodeEventCounters(messages)),
  ],

  generate(random) {
    const isMeant = stream.make(random)
    const { bytes } = stream.out
    if (!isMeant || hasEscapedName(bytes)) return { bytes }
    return {
      bytes,
      check() {
        readLines(found, bytes)
        found.mustEqual(stream.meaning, 'read and meant')
      },
    }
  },

  run: checkLines,

  canary: {
    fault: 'a number that is none is thought impossible',
    run(bytes) {
      readLines(found, bytes)
      found.mustLack(Number.NaN)
    },
  },
}

/** Texts of a request: its query, and the grammars of the parameters for themselves. */
const texts: FuzzTarget = {
  name: 'eventcounters-query',

  seeds: () =>
    [
      ...[...METADATA, ...SCALES, ...FILTERS, ...INTERVALS],
      ...FILTERS.map((filter) => `${PATH}?EventCounterIntervalSec=1&counters=${filter}`),
    ].map((text) => Buffer.from(text)),

  generate(random) {
    const { bytes, query } = makeQuery(random)
    if (query === undefined) return { bytes }
    return {
      bytes,
      check: () => assert.deepEqual(parseQuery(Buffer.from(bytes).toString()), query),
    }
  },

  run: (bytes, random) => checkTexts(bytes, random, 4_294_967_295),

  canary: {
    fault: 'seconds that do not fit 31 bits are thought impossible',
    run: (bytes, random) => checkTexts(bytes, random, 2_147_483_647),
  },
}

export const targets: readonly FuzzTarget[] = [lines, texts]
