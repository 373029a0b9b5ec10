/**
 * Documents of metrics (§3.4): whatever arrives, it is read the same however it is cut, only errors
 * of the closed set come, every count that was read is a u64, what the grammar meant is what is
 * read, and what was read can be written and read again.
 */
import assert from 'node:assert/strict'
import { ByteBuilder, forEachPiece } from '../../../../../test/fuzz/engine/bytes.ts'
import { hasEscapedName } from '../../../../../test/fuzz/engine/json.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import { text, unsigned } from '../../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { createDecoder, encodeProxyWasm } from '../../codec.ts'
import { BIN_BOUNDS, ERROR_CODES, type JsonDocument, LAST_BOUND } from '../../spec.ts'
import { samples } from '../samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const WRITING_ONCE_IN = 4
const NO_TYPES = ['Counter', '', 1, null, 'gauges', ['counter'], 'summary']
const NO_VALUES = ['-1', -1, 0.5, '1e3', '18446744073709551616', '', null, true, 2 ** 53, [], {}]
const NO_BOUNDS = [3, -1, '+inf', 'x', 4294967297, 1.5, null]

const out = new ByteBuilder()
const [found, wanted] = [new Transcript(), new Transcript()]

/** What a document means: its metrics by name, or an error for each that makes no sense. */
type Meant = Map<string, { readonly plain: unknown } | { readonly code: string }>

/** @returns what each document means; undefined where the bytes leave it open */
function makeDocuments(random: Random): Meant[] | undefined {
  out.reset(random.below(4))
  const isMeant = !random.isOnceIn(4)
  const documents: Meant[] = []
  for (let left = 1 + random.below(3); left > 0; left--) {
    const meant: Meant = new Map()
    const members = Array.from({ length: random.below(5) }, () => {
      const name = text(random, 120)
      const [json, meaning] = metric(random)
      meant.set(name, meaning)
      return `${JSON.stringify(name)}${random.pick(['', ' ', '\n'])}:${json}`
    })
    out.text(`{${members.join(random.pick([',', ' , ']))}}${random.pick(['\n', '', ' \t\r\n'])}`)
    if (!isMeant && random.isOnceIn(4)) out.text(random.pick([']', '{', '"', '\u0000', '{{', ',']))
    documents.push(meant)
  }
  if (!isMeant) out.truncate(random.below(out.size + 1))
  return isMeant && !hasEscapedName(out.bytes) ? documents : undefined
}

function metric(random: Random): [string, { plain: unknown } | { code: string }] {
  const way = random.below(10)
  if (way === 0) {
    const type = JSON.stringify(random.pick(NO_TYPES))
    return [
      random.pick([`{"type":${type},"value":1}`, '{}', '[]', 'null', '1']),
      { code: 'bad_type' },
    ]
  }
  const type = random.pick(['counter', 'gauge'])
  if (way === 1) {
    const value = JSON.stringify(random.pick(NO_VALUES))
    return [`{"type":"${type}","value":${value}}`, { code: 'bad_value' }]
  }
  if (way >= 5) {
    const [json, value] = integer(random)
    const members = [`"type":"${type}"`, `"value":${json}`]
    if (random.isOnceIn(3)) members.reverse()
    return [`{${members.join(',')}}`, { plain: { type, value } }]
  }
  return histogram(random)
}

/** A u64 as number or text. @returns its JSON, and its one written form */
function integer(random: Random, bits = 64): [string, number | string] {
  const value = unsigned(random, bits)
  const isSafe = value < 2n ** 53n
  const digits = random.isOnceIn(8) ? String(value).padStart(20, '0') : String(value)
  const json = isSafe && !random.isOnceIn(3) ? String(value) : `"${digits}"`
  return [json, isSafe ? Number(value) : String(value)]
}

function histogram(random: Random): [string, { plain: unknown } | { code: string }] {
  const counts = new Map<number, bigint>([[LAST_BOUND, 0n]])
  const bins: string[] = []
  for (let left = random.below(6); left > 0; left--) {
    const bound = random.pick(BIN_BOUNDS)
    const [json, count] = integer(random, 60)
    const spelled = random.isOnceIn(4) ? `"${bound}"` : String(bound)
    const last = random.pick(['4294967295', '4294967296', '"+Inf"'])
    bins.push(`{"ub":${bound === LAST_BOUND ? last : spelled},"count":${json}}`)
    counts.set(bound, (counts.get(bound) ?? 0n) + BigInt(count))
  }
  const isFaulty = random.isOnceIn(8)
  if (isFaulty) bins.push(`{"ub":${JSON.stringify(random.pick(NO_BOUNDS))},"count":1}`)
  else if (random.isOnceIn(8)) bins.push('{"ub":0,"count":9}', '{"ub":3}')
  const hasSum = random.isOnceIn(2)
  const [sumJson, sum] = integer(random)
  const end = hasSum ? `,"sum":${sumJson}` : ''
  const json = `{"type":"histogram","value":[${bins.join(',')}]${end}}`
  if (isFaulty) return [json, { code: 'bad_bound' }]
  const value = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([ub, count]) => ({ ub, count: count < 2n ** 53n ? Number(count) : String(count) }))
  return [json, { plain: { type: 'histogram', value, ...(hasSum ? { sum } : {}) } }]
}

interface Found {
  readonly messages: readonly JsonDocument[]
  readonly errors: readonly (readonly [code: string, offset: number, resync: boolean])[]
}

function read(bytes: Uint8Array, random?: Random): Found {
  const decoder = createDecoder()
  if (random === undefined) decoder.push(bytes)
  else forEachPiece(random, bytes, (piece) => decoder.push(piece))
  decoder.end()
  const errors = decoder.errors.map(({ code, offset, resync }) => [code, offset, resync] as const)
  for (const [code] of errors) assert.ok(CODES.has(code), code)
  return { messages: decoder.messages as readonly JsonDocument[], errors }
}

function checkMeaning(bytes: Uint8Array, documents: readonly Meant[]): void {
  const { messages, errors } = read(bytes)
  const codes = documents.flatMap((meant) =>
    [...meant.values()].flatMap((each) => ('code' in each ? [each.code] : [])),
  )
  assert.deepEqual(errors.map(([code]) => code).sort(), codes.sort())
  const plain = documents.map((meant) =>
    [...meant].flatMap(([name, each]) => ('plain' in each ? [[name, each.plain] as const] : [])),
  )
  const byName = (a: readonly [string, unknown], b: readonly [string, unknown]) =>
    a[0] < b[0] ? -1 : 1
  assert.deepEqual(
    messages.map((document) => Object.entries(document).sort(byName)),
    plain.map((entries) => entries.sort(byName)),
  )
}

function check(
  bytes: Uint8Array,
  random: Random,
  written: (messages: readonly unknown[]) => Uint8Array[],
): void {
  const whole = read(bytes)
  if (hasEscapedName(bytes)) return
  found.reset().data(read(bytes, random))
  found.mustEqual(wanted.reset().data(whole), 'read in pieces and in whole')
  for (const document of whole.messages) checkDocument(document)
  if (!random.isOnceIn(WRITING_ONCE_IN)) return
  const again = read(Buffer.concat(written(whole.messages)))
  assert.deepEqual(again, { messages: whole.messages, errors: [] })
}

function checkDocument(document: JsonDocument): void {
  for (const metric of Object.values(document)) {
    if (metric.type !== 'histogram') checkU64(metric.value)
    else {
      metric.value.forEach(({ ub, count }, i) => {
        checkU64(count)
        assert.ok(i === 0 || ub > metric.value[i - 1]!.ub, 'bounds ascend')
      })
      assert.equal(metric.value.at(-1)?.ub, LAST_BOUND)
    }
  }
}

function checkU64(value: number | string): void {
  assert.ok(typeof value === 'string' || Number.isSafeInteger(value), `${value}`)
  assert.ok(BigInt(value) >= 0n && BigInt(value) < 1n << 64n, `${value}`)
}

export const documents: FuzzTarget = {
  name: 'proxywasm',

  seeds: () => [
    ...samples.streams.map(({ bytes }) => bytes),
    ...samples.faulty.map(({ bytes }) => bytes),
    ...samples.spoken.flatMap(({ messages }) => encodeProxyWasm(messages, { profile: 'peer' })),
  ],

  generate(random) {
    const meant = makeDocuments(random)
    const { bytes } = out
    return meant === undefined ? { bytes } : { bytes, check: () => checkMeaning(bytes, meant) }
  },

  run: (bytes, random) =>
    check(bytes, random, (messages) => encodeProxyWasm(messages, { profile: 'peer' })),

  canary: {
    fault: 'values above 2^53 are written as doubles',
    run: (bytes, random) =>
      check(bytes, random, (messages) => {
        const json = JSON.stringify(messages).replaceAll(/"(\d{16,20})"/g, '$1')
        return encodeProxyWasm(JSON.parse(json), { profile: 'peer' })
      }),
  },
}
