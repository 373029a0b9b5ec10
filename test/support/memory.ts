/** How much memory is kept after a full garbage collection; for tests of limits. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of heap and buffers that are still reachable. */
export function retainedBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The same once it stands still: a buffer is given back some turns after it was found unused. */
export async function settledBytes(): Promise<number> {
  let bytes = retainedBytes()
  for (let i = 0; i < 3; i++) {
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    bytes = Math.min(bytes, retainedBytes())
  }
  return bytes
}
