/**
 * Files of a history: bundles, as its database has them, and head logs. Whatever the bytes are,
 * nothing is given out that was not written: what is wrong is refused with a code of the set, and a
 * log ends at its last whole record.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import {
  Bundle,
  type BundledChunk,
  CODEC_FAULTS,
  encodeBundle,
} from '../../../src/history/codec/index.ts'
import { headPath, replayHead } from '../../../src/history/sqlite/head/head-log.ts'
import {
  decodeRecord,
  encodeRecord,
  RECORD_VERSION,
  recordOf,
  type SecondRecord,
} from '../../../src/history/sqlite/head/record.ts'
import { HistoryError } from '../../../src/history/store.ts'
import { DecodeError } from '../../../src/wire/index.ts'
import { SecondMaker, START_S } from '../../support/history.ts'
import { ByteBuilder } from '../engine/bytes.ts'
import type { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../target.ts'

type ChunkOf = (bundle: Bundle, slot: number) => Uint8Array | undefined

/** Reads all chunks of a bundle; the code where it is refused. */
function chunksOf(bytes: Uint8Array, chunkOf: ChunkOf): BundledChunk[] | string {
  try {
    const bundle = new Bundle(bytes)
    return [...bundle.slots].map((slot) => {
      const chunk = chunkOf(bundle, slot)
      assert.ok(chunk !== undefined, `slot ${slot} of the index is not found`)
      return { slot, bytes: Uint8Array.from(chunk) }
    })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    assert.ok((CODEC_FAULTS as readonly string[]).includes(error.code), error.code)
    return error.code
  }
}

const plainly: ChunkOf = (bundle, slot) => bundle.chunk(slot)

function checkBundle(bytes: Uint8Array, chunkOf: ChunkOf): void {
  const chunks = chunksOf(bytes, chunkOf)
  if (typeof chunks === 'string') return
  const sizes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
  assert.ok(sizes < bytes.length, 'chunks are parts of the bundle')
  assert.equal(bytes.length - sizes, indexEnd(bytes), 'and all of it but the index')
  assert.deepEqual(chunksOf(encodeBundle(1, chunks), plainly), chunks)
}

/** End of the index as docs/formats/history.md draws it. */
function indexEnd(bytes: Uint8Array): number {
  return 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true)
}

function randomChunks(random: Random): BundledChunk[] {
  let slot = -1
  return Array.from({ length: random.below(6) }, () => {
    slot += 1 + random.below(200)
    const bytes = Uint8Array.from({ length: random.below(20) }, () => random.below(256))
    return { slot, bytes }
  })
}

export const historyBundles: FuzzTarget = {
  name: 'history-bundles',

  seeds() {
    const one = { slot: 128, bytes: Uint8Array.of(1, 2, 3) }
    const two = { slot: 300, bytes: Uint8Array.of(9) }
    return [encodeBundle(1, []), encodeBundle(60, [one]), encodeBundle(3600, [one, two])]
  },

  generate(random) {
    const chunks = randomChunks(random)
    const bytes = encodeBundle(60, chunks)
    return {
      bytes,
      check() {
        assert.deepEqual(chunksOf(bytes, plainly), chunks)
      },
    }
  },

  run: (bytes) => checkBundle(bytes, plainly),

  canary: {
    fault: 'the last byte of a chunk is left out',
    run: (bytes) => checkBundle(bytes, (bundle, slot) => bundle.chunk(slot)?.subarray(0, -1)),
  },
}

const out = new ByteBuilder()
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'pentameter-fuzz-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Records that logs are made of, by the ends of their seconds. */
const RECORDS = new Map<number, SecondRecord>()
const maker = new SecondMaker()
const NO_CHANGES = { defined: [], ended: [] }
for (let second = 1; second <= 8; second++) {
  const cells = Array.from({ length: second % 4 }, (_, i) => {
    const identity = { name: `c${i}`, kind: 'counter', labels: [] } as const
    return { identity, cell: { kind: 'counter', delta: second } as const }
  })
  const made = recordOf(maker.second(START_S + second, cells), NO_CHANGES, (ref) => ref)
  // as it is read, for the same values have more than one serialized form
  RECORDS.set(made.endS, decodeRecord(encodeRecord(made), RECORD_VERSION))
}

/** Makes the bytes of a log, as head-log.ts draws it. */
function logOf(records: readonly SecondRecord[]): Uint8Array {
  const head = Buffer.alloc(8)
  head.write('PMHL', 0, 'latin1')
  head.writeUInt32LE(RECORD_VERSION, 4)
  out.reset(0).raw(head)
  for (const record of records) {
    const bytes = encodeRecord(record)
    const sizes = Buffer.alloc(8)
    sizes.writeUInt32LE(bytes.length, 0)
    sizes.writeUInt32LE(crc32(bytes), 4)
    out.raw(sizes).raw(bytes)
  }
  return Uint8Array.from(out.bytes)
}

/** Lists the ends of the seconds that a log gives; the code where it is refused. */
function secondsOf(bytes: Uint8Array): number[] | string {
  writeFileSync(headPath(folder, 1), bytes)
  const ends: number[] = []
  try {
    replayHead(folder, 1, false, (record) => {
      const known = RECORDS.get(record.endS)
      assert.ok(known !== undefined, `a second that ends at ${record.endS}`)
      assert.deepEqual(serialize(record), serialize(known))
      ends.push(record.endS)
    })
    return ends
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    assert.ok(['foreign', 'newer'].includes(error.code), error.code)
    return error.code
  }
}

export const historyHeads: FuzzTarget = {
  name: 'history-heads',

  seeds: () => [logOf([]), logOf([...RECORDS.values()])],

  generate(random) {
    const all = [...RECORDS.values()]
    const chosen = Array.from({ length: random.below(5) }, () => all[random.below(all.length)]!)
    const bytes = logOf(chosen)
    return {
      bytes,
      check() {
        assert.deepEqual(
          secondsOf(bytes),
          chosen.map(({ endS }) => endS),
        )
      },
    }
  },

  run(bytes) {
    secondsOf(bytes)
  },

  canary: {
    fault: 'a log that ends early is taken for a whole one',
    run(bytes) {
      const found = secondsOf(bytes)
      if (typeof found === 'string') return
      const whole = found.map((endS) => RECORDS.get(endS)!)
      assert.equal(logOf(whole).length, bytes.length)
    },
  },
}
