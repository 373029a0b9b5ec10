/**
 * WebAssembly's JavaScript interface, as far as we use it: TypeScript knows it only together
 * with everything else of a browser.
 */

/** A compiled module: goes to other threads by structured clone. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string
}

export interface WasmMemory {
  /** Buffer of the memory: another object after each growth. */
  readonly buffer: ArrayBuffer
}

/** Memory of our own, that grows where it is asked to; views of a shared one stay as they are. */
export interface WasmOwnMemory extends WasmMemory {
  /** @throws {RangeError} where there are no more pages */
  grow(pages: number): number
}

type WasmKind = 'function' | 'table' | 'memory' | 'global' | 'tag'

export interface WasmExport {
  readonly name: string
  readonly kind: WasmKind
}

export interface WasmImport extends WasmExport {
  readonly module: string
}

export type WasmExports = Readonly<Record<string, unknown>>
export type WasmImports = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Wasm {
  compile(bytes: Uint8Array): Promise<WasmModule>
  readonly Module: {
    new (bytes: Uint8Array): WasmModule
    imports(module: WasmModule): WasmImport[]
    exports(module: WasmModule): WasmExport[]
  }
  readonly Instance: new (
    module: WasmModule,
    imports: WasmImports,
  ) => { readonly exports: WasmExports }
  readonly Memory: new (pages: {
    initial: number
    maximum: number
    shared?: boolean
  }) => WasmOwnMemory
}

/** Undefined where Node runs without it (`--jitless`): who uses it catches what that throws. */
export const wasm: Wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly

/** Unit in which a memory grows, in bytes. */
export const PAGE_BYTES = 65_536
