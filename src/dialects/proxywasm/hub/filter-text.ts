/**
 * Modules as text (`.wat`, WebAssembly core specification, text format), assembled by npm's wabt:
 * loaded with the first one (docs/decisions/0028).
 */
// by this name, so that the bundle holds what is imported (tools/bundle.ts)
import { default as openWabt } from 'wabt'

/** Text takes far more time and memory than a module of its size. */
export const TEXT_BYTES = 1_048_576

/** @throws {RangeError} with line and column of a mistake */
export async function assemble(text: string): Promise<Uint8Array<ArrayBuffer>> {
  // a new one each time: a text that breaks it hurts no other
  const wabt = await openWabt()
  let module: ReturnType<typeof wabt.parseWat> | undefined
  try {
    module = wabt.parseWat('text', text, { threads: true, exceptions: true })
    return module.toBinary({}).buffer.slice()
  } catch (error) {
    throw new RangeError(firstMistake(error), { cause: error })
  } finally {
    module?.destroy()
  }
}

/** Reads `text:3:5: error: …` out of wabt's message, which has the source and a mark behind it. */
function firstMistake(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, line, column, words] = /^text:(\d+):(\d+): error: (.*)$/m.exec(message) ?? []
  return line === undefined ? message : `line ${line}, column ${column}: ${words}`
}
