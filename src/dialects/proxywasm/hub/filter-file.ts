/** Files of filters: modules, or their texts, told apart by their first characters. */
import { readFile, stat } from 'node:fs/promises'
import { FilterRefusedError } from '../host/module/module.ts'
import { MODULE_BYTES } from '../host/options.ts'

/** First bytes of a text: an opening, a comment of either kind, or white space before them. */
const TEXT_START = /^[\s]*(\(|;;)/
const START_BYTES = 4_096

/**
 * Reads the file of a filter.
 * @throws {FilterRefusedError} for what is no file (a device, a pipe), or one too long
 */
export async function readFilterFile(path: string): Promise<Uint8Array> {
  // before it is opened: a pipe would wait for a writer
  const { size, isFile } = await stat(path).then((stats) => ({
    size: stats.size,
    isFile: stats.isFile() || stats.isDirectory(),
  }))
  if (!isFile) throw new FilterRefusedError('not_wasm', 'it is no file')
  if (size > MODULE_BYTES) {
    throw new FilterRefusedError('too_large', `file of ${size} bytes, limit ${MODULE_BYTES}`)
  }
  return readFile(path)
}

/**
 * Gives a module's bytes: those of the file, or what its text assembles to.
 * @throws {FilterRefusedError} for a text that is none
 */
export async function moduleBytes(file: Uint8Array): Promise<Uint8Array> {
  const start = Buffer.from(file.subarray(0, START_BYTES)).toString('latin1')
  if (!TEXT_START.test(start)) return file
  const { assemble, TEXT_BYTES } = await import('./filter-text.ts')
  if (file.length > TEXT_BYTES) {
    const message = `text of ${file.length} bytes, limit ${TEXT_BYTES}`
    throw new FilterRefusedError('too_large', message)
  }
  try {
    return await assemble(new TextDecoder().decode(file))
  } catch (cause) {
    const message = `text does not assemble: ${(cause as Error).message}`
    throw new FilterRefusedError('not_wasm', message, { cause })
  }
}
