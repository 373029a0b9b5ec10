/** Assembles WebAssembly text, for filters that no compiler would make, with npm's wabt. */
import wabtModule from 'wabt'

type Assembler = (text: string, name: string) => Uint8Array

let loaded: Promise<Assembler> | undefined

/** @throws {Error} with line and column of a mistake */
export async function assembleWat(text: string, name = 'filter.wat'): Promise<Uint8Array> {
  loaded ??= load()
  return (await loaded)(text, name)
}

async function load(): Promise<Assembler> {
  const wabt = await wabtModule()
  return (text, name) => {
    const features = { threads: true, exceptions: true, multi_memory: true, tail_call: true }
    const module = wabt.parseWat(name, text, features)
    try {
      return module.toBinary({}).buffer
    } finally {
      module.destroy()
    }
  }
}
