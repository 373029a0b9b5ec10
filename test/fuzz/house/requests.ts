/**
 * What a request brings besides its path: query, Host, Accept, Accept-Encoding. Only an HttpError
 * comes of any of them, numbers stay within their bounds, no name but ours passes for ours, and of
 * a query that the grammar made the values are its own. An input is these four with NUL between.
 */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import { acceptsGzip, negotiate } from '../../../src/exposition/negotiation.ts'
import { hostCheck } from '../../../src/host-check.ts'
import { HttpError } from '../../../src/http/http-error.ts'
import { deletionQuery, rangeQuery, read, seriesQuery } from '../../../src/http/query/parameters.ts'
import type { Random } from '../engine/random.ts'
import { shuffled, text, unsigned } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

const SCHEMAS: readonly z.ZodType[] = [seriesQuery, rangeQuery, deletionQuery]
const isOurs = hostCheck('hub.example', ['other.example'])
/** Written anew and not read from the source: names of this hub, with a port and a final dot. */
const OUR_NAME =
  /^\s*((.+\.)?localhost|127(\.\d{1,3}){3}|\[?::1\]?|(hub|other)\.example)\.?(:\d+)?\s*$/i
const TYPES = ['text/plain', 'application/openmetrics-text', 'application/vnd.google.protobuf']
const HOSTS = [
  'localhost',
  'localhost:4000',
  '127.0.0.1',
  '[::1]:1',
  'hub.example.',
  'evil.example',
]
const ACCEPTS = ['*/*', 'text/*', ...TYPES, 'text/html']
const PARAMETERS = ['version=1.0.0', 'q=0.5', 'q=', 'q=2', 'escaping=allow-utf-8', 'proto="x"', '=']

function list(random: Random, words: readonly string[]): string {
  return Array.from({ length: random.below(5) }, () => {
    const parts = [random.pick(words)]
    while (random.isOnceIn(2)) parts.push(random.pick(PARAMETERS))
    return parts.join(random.pick([';', '; ']))
  }).join(random.pick([',', ', ', ',,']))
}

/** A query of a range, and its values. */
function makeRange(random: Random): [string, object] {
  const ids = Array.from({ length: 1 + random.below(6) }, () => Number(unsigned(random, 32)))
  const from = Number(unsigned(random, 52))
  const step = 1 + random.below(86_400)
  const parts = [`series=${ids.join(random.pick([',', '%2C', '%2c']))}`, `from=${from}`]
  const query = { series: [...new Set(ids)], from, step: 1 }
  if (!random.isOnceIn(3))
    return [shuffled(random, [...parts, `step=${step}`]).join('&'), { ...query, step }]
  return [parts.join('&'), query]
}

function makeQuery(random: Random): string {
  const names = [
    'series',
    'from',
    'to',
    'step',
    'filter',
    'limit',
    'after',
    'name',
    'kind',
    '__proto__',
  ]
  return Array.from({ length: random.below(4) }, () => {
    const number = String(unsigned(random, 64))
    const value = random.pick([number, `${number},1`, '', '-1', '1e3', '0x1', text(random)])
    return `${random.pick(names)}=${encodeURIComponent(value)}`
  }).join('&')
}

function queryOf(part: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(part))
}

function check(bytes: Uint8Array, random: Random, isKnown: (host: string) => boolean): void {
  const [query = '', host = '', accept = '', encoding = ''] = Buffer.from(bytes)
    .toString()
    .split('\0')
  try {
    const values = read(random.pick(SCHEMAS), queryOf(query)) as Record<string, unknown>
    for (const value of Object.values(values).flat()) {
      assert.ok(typeof value !== 'number' || Number.isSafeInteger(value), `${value}`)
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    assert.equal(error.status, 400)
  }
  if (isKnown(host)) assert.match(host, OUR_NAME)
  const { contentType } = negotiate(accept, random.pick(['utf8', 'legacy']))
  assert.ok(
    TYPES.some((type) => contentType.startsWith(`${type}; `)),
    contentType,
  )
  assert.equal(typeof acceptsGzip(encoding), 'boolean')
}

export const requests: FuzzTarget = {
  name: 'requests',

  seeds: () =>
    [
      'series=1,2&from=0&to=9\0localhost:4000\0text/plain;version=0.0.4;q=0.5,*/*;q=0.1\0gzip',
      'name=a*\0[::1]\0application/openmetrics-text;version=1.0.0\0x-gzip;q=0',
    ].map((each) => Buffer.from(each)),

  generate(random) {
    const isRange = random.isOnceIn(2)
    const [range, wanted] = makeRange(random)
    const host = random.isOnceIn(4) ? text(random) : random.pick(HOSTS)
    const parts = [isRange ? range : makeQuery(random), host, list(random, ACCEPTS)]
    const bytes = Buffer.from([...parts, list(random, ['gzip', '*', 'br', 'identity'])].join('\0'))
    if (!isRange) return { bytes }
    return { bytes, check: () => assert.deepEqual(read(rangeQuery, queryOf(range)), wanted) }
  },

  run: (bytes, random) => check(bytes, random, isOurs),

  canary: {
    fault: 'a name that only begins like ours is taken for ours',
    run: (bytes, random) => check(bytes, random, (host) => /^\w+\.example/.test(host)),
  },
}
