/**
 * What a filter gives the host: metric calls with any arguments (§4.1) against a small model of the
 * ABI's rules, and maps of headers. An input is a row of calls:
 *
 *   define    [0][type:u8][name:u8][at:u32][size:u32][id at:u32]
 *   increment [1][id:u32][delta:u64]
 *   record    [2][id:u32][value:u64]
 *   get       [3][id:u32][at:u32]
 *   pairs     [4][size:u16][bytes]
 */
import assert from 'node:assert/strict'
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { text, unsigned } from '../../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { Zone } from '../../../../shm/index.ts'
import { STATUS } from '../../host/abi.ts'
import { GuestMemory } from '../../host/instance/guest-memory.ts'
import type { FilterVm } from '../../host/instance/vm.ts'
import type { MetricSpace } from '../../host/metric-space.ts'
import { CrcIds } from '../../host/metrics/crc-ids.ts'
import { MetricCalls } from '../../host/metrics/metric-calls.ts'
import { FilterCounts } from '../../host/statistics.ts'
import { HeaderMap, parsePairs } from '../../host/stream/header-map.ts'
import { openZoneSpace } from '../../store/space.ts'

const MEMORY_BYTES = 65_536
/** Metrics after which a new zone is begun; until then every input has a filter of its own. */
const ZONE_METRICS = 20_000
const NAMES = ['a', 'requests', 'latency', 'b.c', '', '__proto__', 'é', 'x'.repeat(300)]
/** Place of the name that a definition writes first. */
const NAME_AT = 1024
const U64 = 2n ** 64n

const out = new ByteBuilder()
let space: MetricSpace | undefined
let filters = 0
let defined = 0
const counts = new FilterCounts([])
const bytesOfMemory = new Uint8Array(MEMORY_BYTES)
const memory = new GuestMemory({ buffer: bytesOfMemory.buffer })

function makeCalls(random: Random): void {
  out.reset(random.below(4))
  for (let left = 1 + random.below(24); left > 0; left--) makeCall(random)
}

function makeCall(random: Random): void {
  const way = random.below(9)
  const id = random.isOnceIn(12) ? Number(unsigned(random, 32)) : random.below(6)
  if (way < 3) {
    const isInside = !random.isOnceIn(10)
    const name = random.below(NAMES.length)
    const size = Buffer.byteLength(NAMES[name]!)
    out
      .u8(0)
      .u8(random.isOnceIn(12) ? random.below(256) : random.below(3))
      .u8(name)
    out.u32(isInside ? NAME_AT : Number(unsigned(random, 32)))
    out.u32(isInside ? size : Number(unsigned(random, 32)))
    out.u32(isInside ? 8 * random.below(16) : MEMORY_BYTES - random.below(8))
  } else if (way < 5) out.u8(1).u32(id).u64(unsigned(random, 64))
  else if (way < 7) out.u8(2).u32(id).u64(unsigned(random, 64))
  else if (way === 7) {
    out
      .u8(3)
      .u32(id)
      .u32(random.isOnceIn(8) ? Number(unsigned(random, 32)) : 512)
  } else makePairs(random)
}

function makePairs(random: Random): void {
  const texts = Array.from({ length: 2 * random.below(4) }, () => text(random, 40))
  const sizes = texts.map((each) => Buffer.byteLength(each))
  const start = out.size
  out.u8(4).u16(0)
  out.u32(random.isOnceIn(8) ? random.below(2 ** 32) : texts.length / 2, true)
  for (const size of sizes) out.u32(random.isOnceIn(16) ? random.next() : size, true)
  for (const each of texts) out.text(each).u8(0)
  const size = out.size - start - 3
  out.bytes[start + 1] = size >> 8
  out.bytes[start + 2] = size & 0xff
}

interface ModelMetric {
  readonly type: number
  /** Value that the filter reads. */
  value: bigint
  /** Total of a counter, which a lower value recorded begins anew, and which ends at 2^64 - 1. */
  total: bigint
}

/** The metrics of one filter by the ABI's text (profile and host `spec`). */
class Model {
  readonly byName = new Map<string, number>()
  readonly metrics = new Map<number, ModelMetric>()
  readonly #narrow: boolean

  /** @param isNarrow the planted bug: counters of 63 bits */
  constructor(isNarrow: boolean) {
    this.#narrow = isNarrow
  }

  increment(id: number, delta: bigint): number {
    const metric = this.metrics.get(id)
    if (metric === undefined) return STATUS.notFound
    if (metric.type === 2 || (metric.type === 0 && delta < 0n)) return STATUS.badArgument
    if (metric.type === 0) {
      if (metric.total + delta >= U64) return STATUS.badArgument
      metric.total += delta
    }
    const bits = this.#narrow && metric.type === 0 ? 2n ** 63n : U64
    metric.value = (((metric.value + delta) % bits) + bits) % bits
    return STATUS.ok
  }

  record(id: number, value: bigint): number {
    const metric = this.metrics.get(id)
    if (metric === undefined) return STATUS.notFound
    if (metric.type === 2) return STATUS.ok
    const reading = BigInt.asUintN(64, value)
    if (metric.type === 0) {
      metric.total += reading < metric.value ? reading : reading - metric.value
      if (metric.total >= U64) metric.total = U64 - 1n
    }
    metric.value = reading
    return STATUS.ok
  }
}

/** Makes the surroundings of one filter, whose names nothing before it has defined. */
function beginFilter(): MetricCalls {
  if (space === undefined || defined > ZONE_METRICS) {
    space?.writer.detach()
    space = openZoneSpace({ shared: Zone.create().shared })
    defined = 0
  }
  const vm = {
    options: { name: `f${filters++}` },
    host: 'spec',
    counts,
    memory,
    trap: (words: string) => assert.fail(`trap: ${words}`),
    badPointer: () => STATUS.invalidMemoryAccess,
    refused: () => {},
  } as unknown as FilterVm
  counts.set('metrics', 0)
  return new MetricCalls(vm, space, new CrcIds(space, counts))
}

function run(bytes: Uint8Array, isNarrow: boolean): void {
  const calls = beginFilter()
  const model = new Model(isNarrow)
  /** Ids of the zone by the order of their definition, as programs name them. */
  const ids: number[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const idOf = (number: number) => ids[number - 1] ?? 0
  for (let at = 0; at < bytes.length; ) {
    const call = bytes[at]! % 5
    const size = call === 0 ? 15 : call === 3 ? 9 : call === 4 ? 3 : 13
    if (at + size > bytes.length) return
    if (call === 0) define(view, at, calls, model, ids)
    else if (call === 1) {
      const [id, delta] = [idOf(view.getUint32(at + 1)), view.getBigInt64(at + 5)]
      assert.equal(calls.increment(id, delta), model.increment(id, delta), 'increment')
    } else if (call === 2) {
      const [id, value] = [idOf(view.getUint32(at + 1)), view.getBigInt64(at + 5)]
      assert.equal(calls.record(id, value), model.record(id, value), 'record')
    } else if (call === 3) get(idOf(view.getUint32(at + 1)), view.getUint32(at + 5), calls, model)
    else at += readPairs(bytes.subarray(at + 3, at + 3 + view.getUint16(at + 1)))
    at += size
  }
}

function define(view: DataView, at: number, calls: MetricCalls, model: Model, ids: number[]): void {
  const type = view.getUint8(at + 1)
  const [nameAt, nameSize] = [view.getUint32(at + 3), view.getUint32(at + 7)]
  const idAt = view.getUint32(at + 11)
  const isInside = nameAt + nameSize <= MEMORY_BYTES && idAt + 4 <= MEMORY_BYTES
  if (isInside && nameAt === NAME_AT) {
    memory.setBytes(nameAt, Buffer.from(NAMES[view.getUint8(at + 2) % NAMES.length]!))
  }
  const key = isInside ? Buffer.from(memory.view(nameAt, nameSize)).toString('latin1') : ''
  const status = calls.define(type, nameAt | 0, nameSize | 0, idAt | 0)
  if (!isInside) {
    assert.equal(status, STATUS.invalidMemoryAccess)
    return
  }
  const known = model.byName.get(key)
  const isOther = known !== undefined && model.metrics.get(known)!.type !== type
  // 256 bytes with the prefix, `pw.NAME.`
  const isRefused = type > 2 || isOther || nameSize > 250
  if (nameSize > 230 && nameSize <= 250) return
  assert.equal(status, isRefused ? STATUS.badArgument : STATUS.ok, 'define')
  if (isRefused) return
  const id = memory.has(idAt, 4) ? memory.u32(idAt) : 0
  assert.equal(known ?? id, id, 'a metric keeps its id')
  if (known !== undefined) return
  defined++
  ids.push(id)
  model.byName.set(key, id)
  model.metrics.set(id, { type, value: 0n, total: 0n })
}

function get(id: number, at: number, calls: MetricCalls, model: Model): void {
  const status = calls.get(id, at | 0)
  if (at + 8 > MEMORY_BYTES) {
    assert.equal(status, STATUS.invalidMemoryAccess)
    return
  }
  const metric = model.metrics.get(id)
  if (metric === undefined) assert.equal(status, STATUS.notFound)
  else if (metric.type === 2) assert.equal(status, STATUS.badArgument)
  else {
    const value = new DataView(bytesOfMemory.buffer).getBigUint64(at, true)
    assert.deepEqual([status, value], [STATUS.ok, metric.value])
  }
}

/** Reads a map of headers, which can be written and read again. @returns bytes taken */
function readPairs(bytes: Uint8Array): number {
  const pairs = parsePairs(bytes)
  if (pairs !== undefined) {
    const map = new HeaderMap(pairs)
    assert.equal(map.count, pairs.length)
    assert.deepEqual(parsePairs(map.serialize()), pairs)
  }
  return bytes.length
}

export const calls: FuzzTarget = {
  name: 'proxywasm-calls',

  seeds: () => {
    out.reset().u8(0).u8(0).u8(1).u32(NAME_AT).u32(8).u32(0)
    out
      .u8(1)
      .u32(1)
      .u64(5n)
      .u8(2)
      .u32(1)
      .u64(2n ** 63n)
      .u8(3)
      .u32(1)
      .u32(512)
    return [out.bytes.slice()]
  },

  generate(random) {
    makeCalls(random)
    return { bytes: out.bytes }
  },

  run: (bytes) => run(bytes, false),
  canary: { fault: 'counters have 63 bits', run: (bytes) => run(bytes, true) },
}
