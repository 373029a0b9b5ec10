/**
 * A filter's module, compiled and checked: what it must export, what memory it may have, which of
 * its imports are served and which get a stub. Compiled once, it starts any number of instances in
 * any number of threads.
 */

import { type WasmExport, type WasmImport, type WasmModule, wasm } from '../../../../arena/wasm.ts'
import { ABI_EXPORTS, type AbiVersion, type HostMode } from '../abi.ts'
import { isServed } from '../imports/index.ts'
import { MEMORY_PAGES, MODULE_BYTES, type ModuleLimits, TABLE_ENTRIES } from '../options.ts'
import {
  isPlain,
  type MemoryLimits,
  type ModuleShape,
  readShape,
  withMemoryLimit,
  withTableLimit,
} from './binary.ts'

/** Reason why a file is no filter that this host starts. */
export type ModuleRefusal =
  | 'too_large'
  | 'not_wasm'
  | 'no_abi'
  | 'no_allocator'
  | 'no_memory'
  | 'memory_too_large'
  | 'memories'
  | 'table_too_large'
  | 'objects'
  | 'missing_export'
  | 'bad_import'
  | 'start_failed'

/**
 * A filter that the host does not run; `refusal` is one of a closed set of reasons.
 *
 * @example
 * import { FilterModule, FilterRefusedError } from 'pentameter/proxywasm'
 *
 * try {
 *   await FilterModule.compile(Buffer.from('no module'))
 * } catch (error) {
 *   if (error instanceof FilterRefusedError) console.log(error.refusal) // not_wasm
 * }
 */
export class FilterRefusedError extends Error {
  override name = 'FilterRefusedError'
  readonly refusal: ModuleRefusal

  constructor(refusal: ModuleRefusal, message: string, options?: ErrorOptions) {
    super(message, options)
    this.refusal = refusal
  }
}

/** Exports that nginx's host insists on (peer, `ngx_proxy_wasm`). */
const NGINX_EXPORTS = ['proxy_on_context_create', 'proxy_on_vm_start', 'proxy_on_configure']

/** Plain parts, so that a module goes to another thread by structured clone. */
export interface FilterModuleParts {
  readonly wasm: WasmModule
  readonly abi: AbiVersion
  readonly unknownImports: readonly string[]
  readonly wideImports: ReadonlySet<string>
  /** Limits of the memory that the host has to bring, if the module imports it. */
  readonly importedMemory: { readonly least: number; readonly most: number } | undefined
}

/**
 * A filter's WebAssembly, compiled and checked against the limits; one serves any number of hosts.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { FilterModule } from 'pentameter/proxywasm'
 *
 * const module = await FilterModule.compile(await readFile('filter.wasm'))
 * console.log(module.abi, module.unknownImports)
 */
export class FilterModule {
  readonly parts: FilterModuleParts

  /** Takes a module that comes from another thread; for others there is {@link compile}. */
  constructor(parts: FilterModuleParts) {
    this.parts = parts
  }

  /** @throws {FilterRefusedError} with the reason */
  static async compile(bytes: Uint8Array, limits: ModuleLimits = {}): Promise<FilterModule> {
    const bytesLimit = limits.moduleBytesLimit ?? MODULE_BYTES
    if (bytes.length > bytesLimit) {
      const message = `module of ${bytes.length} bytes, limit ${bytesLimit}`
      throw new FilterRefusedError('too_large', message)
    }
    const shape = shapeOf(bytes)
    const pages = limits.memoryPagesLimit ?? MEMORY_PAGES
    checkHeap(shape, pages)
    // the memories first: their section is behind the tables’, whose place then still holds
    const limited = withTableLimit(withMemoryLimit(bytes, shape, pages), shape, TABLE_ENTRIES)
    const compiledModule = await compiled(limited)
    return new FilterModule(checkedParts(compiledModule, shape, pages))
  }

  get abi(): AbiVersion {
    return this.parts.abi
  }

  /** `module.field` of the imports for which there is only a stub. */
  get unknownImports(): readonly string[] {
    return this.parts.unknownImports
  }

  /** Whether its instances have values or queues in common. */
  get isSharing(): boolean {
    return this.imports.some(({ module, name }) => module === 'env' && name.includes('_shared_'))
  }

  /** Imports and exports as the module states them, for a person to look at. */
  get imports(): readonly WasmImport[] {
    return wasm.Module.imports(this.parts.wasm)
  }

  get exports(): readonly WasmExport[] {
    return wasm.Module.exports(this.parts.wasm)
  }

  /** @throws {FilterRefusedError} when it lacks what a host mode insists on */
  checkFor(host: HostMode): void {
    if (host !== 'nginx') return
    const names = functionNames(this.parts.wasm)
    for (const name of NGINX_EXPORTS) {
      if (!names.has(name)) {
        throw new FilterRefusedError('missing_export', `module does not export ${name}`)
      }
    }
  }
}

function shapeOf(bytes: Uint8Array): ModuleShape {
  try {
    return readShape(bytes)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    throw new FilterRefusedError('not_wasm', `not a WebAssembly module: ${text}`, { cause })
  }
}

async function compiled(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule> {
  try {
    return await wasm.compile(bytes)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    throw new FilterRefusedError('not_wasm', `module does not compile: ${text}`, { cause })
  }
}

/**
 * Checks all that a filter could take of the process's memory: none of it may go without a limit.
 */
function checkHeap(shape: ModuleShape, pages: number): void {
  if (shape.hasObjects) {
    const message = 'module has types of objects: their memory would have no limit'
    throw new FilterRefusedError('objects', message)
  }
  const memories = [...shape.ownMemories, ...shape.importedMemories]
  if (memories.length > 1) {
    throw new FilterRefusedError('memories', `module has ${memories.length} memories, limit 1`)
  }
  for (const memory of memories) checkMemory(memory, pages)
  const entries = shape.ownTables.reduce((sum, { least }) => sum + least, 0)
  const isWide = shape.ownTables.some((table) => !isPlain(table))
  if (entries > TABLE_ENTRIES || isWide) {
    const what = isWide ? 'shared or 64-bit' : `of ${entries} entries`
    throw new FilterRefusedError('table_too_large', `tables ${what}, limit ${TABLE_ENTRIES}`)
  }
}

function checkMemory(memory: MemoryLimits, pages: number): void {
  if (!isPlain(memory)) {
    throw new FilterRefusedError('no_memory', 'memory is shared or 64-bit, which no ABI allows')
  }
  if (memory.least > pages) {
    const message = `memory of ${memory.least} pages, limit ${pages}`
    throw new FilterRefusedError('memory_too_large', message)
  }
}

function checkedParts(module: WasmModule, shape: ModuleShape, pages: number): FilterModuleParts {
  const names = functionNames(module)
  const abi = ABI_EXPORTS.find(([name]) => names.has(name))
  if (abi === undefined) {
    const known = ABI_EXPORTS.map(([name]) => name).join(', ')
    throw new FilterRefusedError('no_abi', `module exports none of ${known}`)
  }
  if (!names.has('proxy_on_memory_allocate') && !names.has('malloc')) {
    const message = 'module exports neither proxy_on_memory_allocate nor malloc'
    throw new FilterRefusedError('no_allocator', message)
  }
  if (!wasm.Module.exports(module).some((e) => e.name === 'memory' && e.kind === 'memory')) {
    throw new FilterRefusedError('no_memory', 'module exports no memory named "memory"')
  }
  const imported = shape.importedMemories[0]
  return {
    wasm: module,
    abi: abi[1],
    unknownImports: unknownImports(module),
    wideImports: shape.wideImports,
    importedMemory:
      imported === undefined
        ? undefined
        : { least: imported.least, most: Math.min(imported.most ?? pages, pages) },
  }
}

function functionNames(module: WasmModule): Set<string> {
  const exports = wasm.Module.exports(module).filter(({ kind }) => kind === 'function')
  return new Set(exports.map(({ name }) => name))
}

function unknownImports(compiled: WasmModule): string[] {
  const unknown = new Set<string>()
  let memories = 0
  for (const { module, name, kind } of wasm.Module.imports(compiled)) {
    if (kind === 'memory' && ++memories === 1) continue
    if (kind !== 'function') {
      const message = `import ${module}.${name} is a ${kind}: only functions are served`
      throw new FilterRefusedError('bad_import', message)
    }
    if (!isServed(module, name)) unknown.add(`${module}.${name}`)
  }
  return [...unknown]
}
