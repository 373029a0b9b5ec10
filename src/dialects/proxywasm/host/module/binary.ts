/**
 * What JavaScript's WebAssembly interface does not tell of a module, read from its bytes: how much
 * memory and how many table entries it declares (and where, so that limits can be written there),
 * which imported functions answer with an i64, and whether it allocates objects. Layout
 * (WebAssembly core specification, binary format; all integers LEB128):
 *
 *   "\0asm" 1:u32 | section: [id:u8][size][content …] …
 *   1 types     count | 0x60 [parameters: vec] [results: vec] …
 *   2 imports   count | [module: name][field: name][kind:u8] 0 type | 1 table | 2 limits | 3 global
 *                       | 4 tag
 *   4 tables    count | [type of reference] limits …
 *   5 memories  count | limits: [flags:u8][pages least] [pages at most, if flags & 1]
 */
const SECTION = Object.freeze({ types: 1, imports: 2, tables: 4, memories: 5 })
const READ_SECTIONS: ReadonlySet<number> = new Set(Object.values(SECTION))
const MAGIC = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const FUNCTION_FORM = 0x60
/** Byte in front of a table's type: an initial value follows it. */
const TABLE_WITH_VALUE = 0x40
const I64 = 0x7e
/** A reference type that a heap type follows. */
const REFERENCES = new Set([0x63, 0x64])
const MAXIMUM = 1
/** Bits that make a memory shared or 64-bit. */
const FOREIGN = 6

export interface MemoryLimits {
  readonly flags: number
  readonly least: number
  /** Maximum; undefined where the module states none. */
  readonly most: number | undefined
}

interface TableLimits extends MemoryLimits {
  /** Type of its references, as in the module. */
  readonly type: readonly number[]
}

export interface ModuleShape {
  /** Types other than functions: what they describe grows in the process's heap, unlimited. */
  readonly hasObjects: boolean
  /** `module.field` of the imported functions that answer with an i64. */
  readonly wideImports: ReadonlySet<string>
  readonly importedMemories: readonly MemoryLimits[]
  readonly ownMemories: readonly MemoryLimits[]
  /** Range of the memory section, its id included; 0, 0 without one. */
  readonly memorySection: readonly [start: number, end: number]
  readonly ownTables: readonly TableLimits[]
  readonly tableSection: readonly [start: number, end: number]
}

/** @throws {RangeError} when the bytes are no module, or hold what this reader does not know */
export function readShape(bytes: Uint8Array): ModuleShape {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) throw new RangeError('no \\0asm at its start')
  const shape = {
    wideImports: new Set<string>(),
    importedMemories: [] as MemoryLimits[],
    ownMemories: [] as MemoryLimits[],
    memorySection: [0, 0] as readonly [number, number],
    ownTables: [] as TableLimits[],
    tableSection: [0, 0] as readonly [number, number],
    hasObjects: false,
  }
  let wideTypes: readonly boolean[] = []
  let last = 0
  const cursor = new Cursor(bytes, MAGIC.length)
  while (!cursor.isAtEnd) {
    const start = cursor.at
    const id = cursor.byte()
    const size = cursor.leb()
    const content = cursor.part(size)
    if (READ_SECTIONS.has(id)) {
      // limits are written at places that hold for sections in their order alone
      if (id <= last) throw new RangeError(`section ${id} behind section ${last}`)
      last = id
    }
    if (id === SECTION.types) {
      wideTypes = readTypes(content)
      shape.hasObjects = wideTypes === ALIEN
    }
    if (id === SECTION.imports) readImports(content, wideTypes, shape)
    if (id === SECTION.tables) {
      for (let left = content.leb(); left > 0; left--) shape.ownTables.push(readTable(content))
      shape.tableSection = [start, cursor.at]
    }
    if (id === SECTION.memories) {
      for (let left = content.leb(); left > 0; left--) shape.ownMemories.push(readLimits(content))
      shape.memorySection = [start, cursor.at]
    }
  }
  return shape
}

/** Copies a module with memories that may not grow beyond a number of pages. */
export function withMemoryLimit(
  bytes: Uint8Array,
  shape: ModuleShape,
  pages: number,
): Uint8Array<ArrayBuffer> {
  if (shape.ownMemories.length === 0) return new Uint8Array(bytes)
  const content = leb(shape.ownMemories.length)
  for (const { flags, least, most } of shape.ownMemories) {
    content.push(flags | MAXIMUM, ...leb(least), ...leb(Math.min(most ?? pages, pages)))
  }
  return withSection(bytes, SECTION.memories, content, shape.memorySection)
}

/** Copies a module with tables that, all together, may grow to about a number of entries. */
export function withTableLimit(
  bytes: Uint8Array,
  shape: ModuleShape,
  entries: number,
): Uint8Array<ArrayBuffer> {
  const { ownTables } = shape
  if (ownTables.length === 0) return new Uint8Array(bytes)
  const share = Math.floor(entries / ownTables.length)
  const content = leb(ownTables.length)
  for (const { type, flags, least, most } of ownTables) {
    const limit = Math.max(least, Math.min(most ?? share, share))
    content.push(...type, flags | MAXIMUM, ...leb(least), ...leb(limit))
  }
  return withSection(bytes, SECTION.tables, content, shape.tableSection)
}

function withSection(
  bytes: Uint8Array,
  id: number,
  content: readonly number[],
  [start, end]: readonly [number, number],
): Uint8Array<ArrayBuffer> {
  const section = [id, ...leb(content.length), ...content]
  const limited = new Uint8Array(bytes.length - (end - start) + section.length)
  limited.set(bytes.subarray(0, start))
  limited.set(section, start)
  limited.set(bytes.subarray(end), start + section.length)
  return limited
}

/** Tells whether a memory is of the plain kind: neither shared nor 64-bit. */
export function isPlain(memory: MemoryLimits): boolean {
  return (memory.flags & FOREIGN) === 0
}

/** Answer of {@link readTypes} where a type is none of a function. */
const ALIEN: readonly boolean[] = []

/** Reads, by type, whether its first result is an i64. */
function readTypes(content: Cursor): readonly boolean[] {
  const wide: boolean[] = []
  for (let left = content.leb(); left > 0; left--) {
    if (content.byte() !== FUNCTION_FORM) return ALIEN
    for (let i = content.leb(); i > 0; i--) readValueType(content)
    const results = content.leb()
    for (let i = 0; i < results; i++) {
      const type = readValueType(content)
      if (i === 0) wide.push(type === I64)
    }
    if (results === 0) wide.push(false)
  }
  return wide
}

function readValueType(content: Cursor): number {
  const type = content.byte()
  if (REFERENCES.has(type)) content.leb()
  return type
}

type OpenShape = Pick<ModuleShape, 'wideImports' | 'importedMemories'> & {
  readonly wideImports: Set<string>
  readonly importedMemories: MemoryLimits[]
}

function readImports(content: Cursor, wideTypes: readonly boolean[], shape: OpenShape): void {
  for (let left = content.leb(); left > 0; left--) {
    const name = `${content.name()}.${content.name()}`
    switch (content.byte()) {
      case 0:
        if (wideTypes[content.leb()]) shape.wideImports.add(name)
        break
      case 1:
        readValueType(content)
        readLimits(content)
        break
      case 2:
        shape.importedMemories.push(readLimits(content))
        break
      case 3:
        readValueType(content)
        content.byte()
        break
      case 4:
        content.byte()
        content.leb()
        break
      default:
        throw new RangeError(`import ${name} is of an unknown kind`)
    }
  }
}

function readTable(content: Cursor): TableLimits {
  const start = content.at
  if (readValueType(content) === TABLE_WITH_VALUE) {
    throw new RangeError('table with an initial value')
  }
  return { type: content.since(start), ...readLimits(content) }
}

function readLimits(content: Cursor): MemoryLimits {
  const flags = content.byte()
  const least = content.leb()
  return { flags, least, most: (flags & MAXIMUM) === 0 ? undefined : content.leb() }
}

function leb(value: number): number[] {
  const bytes: number[] = []
  let left = value
  do {
    const low = left % 128
    left = Math.floor(left / 128)
    bytes.push(left === 0 ? low : low | 0x80)
  } while (left > 0)
  return bytes
}

const names = new TextDecoder()

class Cursor {
  at: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new RangeError('module ends within a section')
    return byte
  }

  /** Reads an unsigned number, up to 5 bytes as 32 bits have. */
  leb(): number {
    let value = 0
    for (let i = 0; i < 5; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * 128 ** i
      if (byte < 0x80) return value
    }
    throw new RangeError('integer of more than 5 bytes')
  }

  /** Copies what has been read from a place on. */
  since(start: number): number[] {
    return [...this.#bytes.subarray(start, this.at)]
  }

  part(size: number): Cursor {
    if (size > this.#bytes.length - this.at) throw new RangeError('section is longer than the file')
    const part = new Cursor(this.#bytes.subarray(this.at, this.at + size))
    this.at += size
    return part
  }

  name(): string {
    const size = this.leb()
    const start = this.at
    this.part(size)
    return names.decode(this.#bytes.subarray(start, this.at))
  }
}
