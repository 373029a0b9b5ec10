/**
 * Dialect proxywasm: whatever arrives, it is read the same however it is cut, only errors of the
 * closed set come, every count that was read is a u64, and what was read can be written and read
 * again.
 */
import assert from 'node:assert/strict'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { createDecoder, encodeProxyWasm } from '../codec.ts'
import { ERROR_CODES, type JsonDocument } from '../spec.ts'
import { samples } from './samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)

interface Found {
  readonly messages: readonly JsonDocument[]
  readonly errors: readonly (readonly [code: string, offset: number, resync: boolean])[]
}

function read(pieces: readonly Uint8Array[]): Found {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  const errors = decoder.errors.map(({ code, offset, resync }) => [code, offset, resync] as const)
  return { messages: decoder.messages as readonly JsonDocument[], errors }
}

function cut(bytes: Uint8Array): Uint8Array[] {
  // The first byte decides where: the cut must depend on the bytes alone.
  const size = 1 + ((bytes[0] ?? 0) % 7)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  return pieces
}

function check(bytes: Uint8Array, written: (messages: readonly unknown[]) => Uint8Array[]): void {
  const found = read([bytes])
  for (const [code] of found.errors) assert.ok(CODES.has(code), code)
  assert.deepEqual(read(cut(bytes)), found)
  for (const document of found.messages) checkDocument(document)
  const again = read(written(found.messages))
  assert.deepEqual(again.errors, [])
  assert.deepEqual(again.messages, found.messages)
}

function checkDocument(document: JsonDocument): void {
  for (const metric of Object.values(document)) {
    if (metric.type !== 'histogram') checkU64(metric.value)
    else {
      metric.value.forEach(({ ub, count }, i) => {
        checkU64(count)
        assert.ok(i === 0 || ub > metric.value[i - 1]!.ub, 'bounds ascend')
      })
      assert.equal(metric.value.at(-1)?.ub, 4294967295)
    }
  }
}

function checkU64(value: number | string): void {
  assert.ok(typeof value === 'string' || Number.isSafeInteger(value), `${value}`)
  assert.ok(BigInt(value) >= 0n && BigInt(value) < 1n << 64n, `${value}`)
}

export const target: FuzzTarget = {
  name: 'proxywasm',

  seeds: () => [
    ...samples.streams.map(({ bytes }) => bytes),
    ...samples.faulty.map(({ bytes }) => bytes),
    ...samples.spoken.flatMap(({ messages }) => encodeProxyWasm(messages, { profile: 'peer' })),
  ],

  run: (bytes) => check(bytes, (messages) => encodeProxyWasm(messages, { profile: 'peer' })),

  canary: {
    fault: 'values above 2^53 are written as doubles',
    run: (bytes) =>
      check(bytes, (messages) => {
        const text = JSON.stringify(messages).replaceAll(/"(\d{16,20})"/g, '$1')
        return encodeProxyWasm(JSON.parse(text), { profile: 'peer' })
      }),
  },
}
