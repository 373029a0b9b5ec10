/** Filters as files: read, compiled, and refused with a message that says what to do. */
import { basename } from 'node:path'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { FilterModule, FilterRefusedError } from '../host/module/module.ts'
import type { ModuleLimits } from '../host/options.ts'
import { moduleBytes, readFilterFile } from '../hub/filter-file.ts'

export interface WasmFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly module: FilterModule
}

/** Hints by refusal for the author of the file. */
const HINTS: Readonly<Record<string, string>> = {
  not_wasm: 'want the .wasm that a compiler wrote, or its text (.wat)',
  no_abi: 'a filter built with an SDK for Proxy-Wasm exports one',
  no_allocator: 'the host needs it to hand over names, headers and bodies',
  no_memory: 'filters export their memory under that name',
  bad_import: 'filters take functions from their host, and at most a memory',
  memory_too_large: 'raise the limit with memoryPagesLimit in the config',
}

/** @throws {CommandError} for a file that is none, or no filter */
export async function readWasmFile(path: string, limits?: ModuleLimits): Promise<WasmFile> {
  const file = await readBytes(path)
  try {
    const bytes = await moduleBytes(file)
    return { path, bytes, module: await FilterModule.compile(bytes, limits) }
  } catch (error) {
    if (error instanceof FilterRefusedError) throw refusedError(path, error)
    throw error
  }
}

export function refusedError(path: string, { refusal, message }: FilterRefusedError): CommandError {
  const hint = HINTS[refusal]
  return new CommandError(`${path}: ${message}${hint === undefined ? '' : `\n  (${hint})`}`)
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFilterFile(path)
  } catch (error) {
    if (error instanceof FilterRefusedError) throw refusedError(path, error)
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a directory',
    }
    const reason = reasons[code ?? ''] ?? message
    throw new CommandError(`${path}: ${reason}`, EXIT_USAGE)
  }
}

/** Names a filter by its file: `filters/auth.wasm` and `auth.wat` are `auth`. */
export function filterNameOf(path: string): string {
  return basename(path).replace(/\.wa(sm|t)$/, '') || 'filter'
}

/** Takes a text, or reads the file of `@FILE`. */
export async function readTextOption(text: string): Promise<string> {
  if (!text.startsWith('@')) return text
  return new TextDecoder().decode(await readBytes(text.slice(1)))
}
