/**
 * Loaded into a hub's process (`node --import`) and its threads: tells on the standard error when
 * WebAssembly gets a memory that threads could share, which is what its quick ways lie in; with
 * `?refused` in the address it gets none, as where there is no address space for it, so that
 * JavaScript does everything.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const IS_REFUSED = import.meta.url.endsWith('?refused')
const GIVEN = 'shared memory is given'
const REFUSED = 'shared memory is refused'

const require = createRequire(import.meta.url)
const threads = require('node:worker_threads') as typeof import('node:worker_threads')
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { Memory: new (pages: { shared?: boolean }) => object }
}
const { Memory } = wasm

class ToldMemory extends Memory {
  constructor(pages: { shared?: boolean }) {
    if (pages.shared === true) console.error(IS_REFUSED ? REFUSED : GIVEN)
    if (pages.shared === true && IS_REFUSED) throw new RangeError(REFUSED)
    super(pages)
  }
}
wasm.Memory = ToldMemory

if (threads.isMainThread) {
  const { Worker } = threads
  class ImportingWorker extends Worker {
    constructor(...[program, options]: ConstructorParameters<typeof Worker>) {
      super(program, { ...options, execArgv: ['--import', import.meta.url] })
    }
  }
  Object.assign(threads, { Worker: ImportingWorker })
  syncBuiltinESMExports()
}
