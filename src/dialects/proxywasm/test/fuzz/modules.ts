/**
 * Modules of filters (WebAssembly core specification, binary format), as far as the host reads them
 * itself: sections in any number, lengths that lie, LEB128 of any length, limits of every size.
 * What the grammar declared is what is read; nothing but a RangeError comes of any bytes; a module
 * that the engine takes it still takes with limits, and then has no more than those.
 */
import assert from 'node:assert/strict'
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import {
  isPlain,
  type MemoryLimits,
  type ModuleShape,
  readShape,
  withMemoryLimit,
  withTableLimit,
} from '../../host/module/binary.ts'

/** The part of the engine's interface that is used here. */
declare const WebAssembly: {
  validate(bytes: Uint8Array): boolean
}

const MAGIC = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
const PAGES_LIMIT = 64
const ENTRIES_LIMIT = 1000
const VALUE_TYPES = [0x7f, 0x7e, 0x7d, 0x7c, 0x70, 0x6f]
const I64 = 0x7e

type Shape = Omit<ModuleShape, 'memorySection' | 'tableSection'>
const out = new ByteBuilder()
const part = new ByteBuilder()

/** @returns what the module declares; undefined where a fault leaves it open */
function makeModule(random: Random): Shape | undefined {
  out.reset(random.below(4)).raw(MAGIC)
  const isMeant = !random.isOnceIn(3)
  const shape = {
    hasObjects: false,
    wideImports: new Set<string>(),
    importedMemories: [] as MemoryLimits[],
    ownMemories: [] as MemoryLimits[],
    ownTables: [] as (MemoryLimits & { type: readonly number[] })[],
  }
  const wide = random.isOnceIn(8) ? [] : types(random, isMeant)
  if (random.isOnceIn(2)) imports(random, wide, shape)
  if (random.isOnceIn(3)) custom(random, isMeant)
  if (random.isOnceIn(2)) tables(random, shape)
  if (!random.isOnceIn(3)) memories(random, shape)
  if (random.isOnceIn(3)) custom(random, isMeant)
  if (!isMeant && random.isOnceIn(3)) out.truncate(random.below(out.size + 1))
  return isMeant ? shape : undefined
}

/** An unsigned number in its shortest form or, up to five bytes, a longer one. */
function leb(random: Random, to: ByteBuilder, value: number): void {
  let left = value
  let size = 0
  const longer = random.isOnceIn(12) ? random.below(5) : 0
  do {
    const low = left % 128
    left = Math.floor(left / 128)
    size++
    to.u8(left > 0 || size < longer ? low | 0x80 : low)
  } while (left > 0 || size < longer)
}

function section(random: Random, id: number, isTrue = true): void {
  const { bytes } = part
  out.u8(id)
  const lie = bytes.length + random.pick([1, -1, 1000, 2 ** 31, 2 ** 32 - 1])
  leb(random, out, isTrue ? bytes.length : Math.max(0, Math.min(lie, 2 ** 32 - 1)))
  out.raw(bytes)
}

/** @returns by type, whether the first result is an i64 */
function types(random: Random, isMeant: boolean): boolean[] {
  part.reset()
  const count = random.below(5)
  const wide: boolean[] = []
  leb(random, part, count)
  for (let i = 0; i < count; i++) {
    part.u8(0x60)
    const parameters = random.below(3)
    leb(random, part, parameters)
    for (let p = 0; p < parameters; p++) part.u8(random.pick(VALUE_TYPES))
    const results = Array.from({ length: random.below(3) }, () => random.pick(VALUE_TYPES))
    leb(random, part, results.length)
    for (const result of results) part.u8(result)
    wide.push(results[0] === I64)
  }
  section(random, 1, isMeant || !random.isOnceIn(6))
  return wide
}

type Open = { wideImports: Set<string>; importedMemories: MemoryLimits[] }

function imports(random: Random, wide: readonly boolean[], shape: Open): void {
  part.reset()
  const count = random.below(4)
  leb(random, part, count)
  for (let i = 0; i < count; i++) {
    const [module, field] = [random.pick(['env', 'wasi', 'é', '']), `f${random.below(9)}`]
    for (const name of [module, field]) {
      const bytes = Buffer.from(name)
      leb(random, part, bytes.length)
      part.raw(bytes)
    }
    const kind = wide.length === 0 ? 2 + random.below(2) : random.below(4)
    part.u8(kind)
    if (kind === 0) {
      const type = random.below(wide.length)
      leb(random, part, type)
      if (wide[type]!) shape.wideImports.add(`${module}.${field}`)
    } else if (kind === 1) {
      part.u8(0x70)
      limits(random)
    } else if (kind === 2) shape.importedMemories.push(limits(random))
    else part.u8(random.pick(VALUE_TYPES)).u8(random.below(2))
  }
  section(random, 2)
}

function limits(random: Random): MemoryLimits {
  const flags = random.isOnceIn(8) ? random.below(8) : random.below(2)
  const least = random.pick([0, 1, random.below(20), 65_536, 2 ** 32 - 1])
  const most = random.pick([least, least + random.below(100), 65_536, 2 ** 32 - 1])
  part.u8(flags)
  leb(random, part, least)
  if ((flags & 1) === 0) return { flags, least, most: undefined }
  leb(random, part, Math.min(most, 2 ** 32 - 1))
  return { flags, least, most: Math.min(most, 2 ** 32 - 1) }
}

function tables(
  random: Random,
  shape: { ownTables: (MemoryLimits & { type: readonly number[] })[] },
): void {
  part.reset()
  const count = random.below(3)
  leb(random, part, count)
  for (let i = 0; i < count; i++) {
    const type = random.pick([0x70, 0x6f])
    part.u8(type)
    shape.ownTables.push({ type: [type], ...limits(random) })
  }
  section(random, 4)
}

function memories(random: Random, shape: { ownMemories: MemoryLimits[] }): void {
  part.reset()
  const count = random.isOnceIn(6) ? random.below(4) : 1
  leb(random, part, count)
  for (let i = 0; i < count; i++) shape.ownMemories.push(limits(random))
  section(random, 5)
}

function custom(random: Random, isMeant: boolean): void {
  part.reset().u8(2).text('no')
  for (let left = random.below(40); left > 0; left--) part.u8(random.below(256))
  section(random, 0, isMeant || !random.isOnceIn(3))
}

function shapeOf(bytes: Uint8Array): ModuleShape | undefined {
  try {
    return readShape(bytes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

type Limit = typeof withMemoryLimit

/** Limits are written as the host does, memories first. */
function checkLimits(bytes: Uint8Array, limitMemory: Limit): void {
  const shape = shapeOf(bytes)
  if (shape === undefined || shape.hasObjects) return
  const own = [...shape.ownMemories, ...shape.ownTables]
  if (!own.every(isPlain) || shape.ownMemories.some(({ least }) => least > PAGES_LIMIT)) return
  const tabled = withTableLimit(limitMemory(bytes, shape, PAGES_LIMIT), shape, ENTRIES_LIMIT)
  if (WebAssembly.validate(bytes)) assert.ok(WebAssembly.validate(tabled), 'still a module')
  const limited = readShape(tabled)
  assert.equal(limited.ownMemories.length, shape.ownMemories.length)
  for (const { most } of limited.ownMemories) assert.ok(most! <= PAGES_LIMIT, `${most} pages`)
  const entries = limited.ownTables.reduce((sum, { most }) => sum + most!, 0)
  const least = shape.ownTables.reduce((sum, table) => sum + table.least, 0)
  assert.ok(entries <= ENTRIES_LIMIT + least, `${entries} entries`)
  assert.deepEqual([...limited.wideImports], [...shape.wideImports])
}

function checkMeaning(bytes: Uint8Array, meant: Shape): void {
  const { memorySection: _, tableSection: __, ...shape } = readShape(bytes)
  assert.deepEqual(shape, meant)
}

export const modules: FuzzTarget = {
  name: 'proxywasm-module',

  seeds: () => [
    MAGIC,
    Buffer.concat([MAGIC, Uint8Array.of(1, 5, 1, 0x60, 0, 1, I64, 5, 3, 1, 0, 1)]),
    Buffer.concat([MAGIC, Uint8Array.of(4, 5, 1, 0x70, 1, 1, 100, 5, 4, 1, 1, 1, 80)]),
  ],

  generate(random) {
    const meant = makeModule(random)
    const { bytes } = out
    return meant === undefined ? { bytes } : { bytes, check: () => checkMeaning(bytes, meant) }
  },

  run: (bytes) => checkLimits(bytes, withMemoryLimit),

  canary: {
    fault: 'a memory that states a maximum keeps it',
    run: (bytes) =>
      checkLimits(bytes, (module, shape, pages) =>
        shape.ownMemories.some(({ most }) => most !== undefined)
          ? new Uint8Array(module)
          : withMemoryLimit(module, shape, pages),
      ),
  },
}
