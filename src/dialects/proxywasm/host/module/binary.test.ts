import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileFilter } from '../../../../../test/filters/compile.ts'
import { assembleWat } from '../../../../../test/filters/wat.ts'
import { holds } from '../../../../../test/support/property.ts'
import { readShape, withMemoryLimit, withTableLimit } from './binary.ts'

test('memories and imports are read as the text states them', async () => {
  const shape = readShape(
    await assembleWat(`(module
      (type (func (param i32 i64 f64)))
      (type (func (param i64) (result i64)))
      (import "env" "narrow" (func (result i32)))
      (import "env" "wide" (func (param i64) (result i64)))
      (import "env" "quiet" (func))
      (import "env" "table" (table 1 2 funcref))
      (import "env" "global" (global (mut i64)))
      (import "env" "memory" (memory 3 65536)))`),
  )
  assert.deepEqual([...shape.wideImports], ['env.wide'])
  assert.deepEqual(shape.importedMemories, [{ flags: 1, least: 3, most: 65_536 }])
  assert.deepEqual(shape.ownMemories, [])
})

test('a module with a limited memory is the same but for that limit', async () => {
  const cases: [memory: string, pages: number, grown: number][] = [
    ['(memory (export "memory") 1)', 200, 200],
    ['(memory (export "memory") 1 100)', 200, 100],
    ['(memory (export "memory") 1 1000)', 200, 200],
    ['(memory (export "memory") 0)', 1, 1],
  ]
  for (const [memory, pages, grown] of cases) {
    const bytes = await assembleWat(`(module ${memory}
      (func (export "fill") (result i32)
        (loop $next (br_if $next (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
        (memory.size))
      (data (i32.const 0) ""))`)
    const limited = withMemoryLimit(bytes, readShape(bytes), pages)
    assert.equal(await fill(limited), grown, memory)
    assert.equal(readShape(limited).ownMemories[0]?.most, grown)
  }
})

async function fill(bytes: Uint8Array): Promise<number> {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: {
      instantiate(bytes: Uint8Array): Promise<{ instance: { exports: { fill(): number } } }>
    }
  }
  return (await WebAssembly.instantiate(bytes)).instance.exports.fill()
}

test('a module without a memory of its own stays as it is', async () => {
  const bytes = await assembleWat('(module (func (export "f")))')
  assert.deepEqual(withMemoryLimit(bytes, readShape(bytes), 5), new Uint8Array(bytes))
})

test('broken modules are read to an end or refused with a RangeError, no other', async () => {
  const whole = await compileFilter('raw')
  const damage = fc.record({
    at: fc.nat({ max: whole.length - 1 }),
    byte: fc.nat({ max: 255 }),
    size: fc.nat({ max: whole.length }),
  })
  holds(
    fc.property(damage, ({ at, byte, size }) => {
      const bytes = whole.slice(0, size)
      bytes[at] = byte
      try {
        readShape(bytes)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    }),
    500,
  )
})

test('a count of a thousand million entries costs no more than the file', () => {
  const types = [1, 6, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x60]
  const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...types])
  assert.throws(() => readShape(bytes), RangeError)
})

test('types that are none of functions are told of: arrays, structures, groups', () => {
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  const types: [isObject: boolean, type: number[]][] = [
    [false, [0x60, 0, 0]],
    [true, [0x5e, 0x7f, 1]],
    [true, [0x5f, 0]],
    [true, [0x4e, 1, 0x5f, 0]],
  ]
  for (const [isObject, type] of types) {
    const bytes = new Uint8Array([...head, 1, type.length + 1, 1, ...type])
    assert.equal(readShape(bytes).hasObjects, isObject, type.join(' '))
  }
})

test('the tables of a module share their limit, and keep what they begin with', async () => {
  const bytes = await assembleWat(`(module
    (table 3 funcref) (table 7 90 externref) (table 60 70 funcref))`)
  const limited = withTableLimit(bytes, readShape(bytes), 120)
  const tables = readShape(limited).ownTables.map(({ least, most }) => [least, most])
  assert.deepEqual(tables, [
    [3, 40],
    [7, 40],
    [60, 60],
  ])
})

test('sections that stand in another order, or twice, make no module', () => {
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  const [table, memory] = [
    [4, 4, 1, 0x70, 0, 1],
    [5, 3, 1, 0, 1],
  ]
  const shape = readShape(Uint8Array.from([...head, ...table!, ...memory!]))
  assert.deepEqual([shape.ownTables.length, shape.ownMemories.length], [1, 1])
  for (const sections of [
    [...memory!, ...table!],
    [...memory!, ...memory!],
  ]) {
    assert.throws(() => readShape(Uint8Array.from([...head, ...sections])), RangeError)
  }
})
