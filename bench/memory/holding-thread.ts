/** Thread: holds counters in one way, says what they take of its heap, keeps them until ended. */
import { strict as assert } from 'node:assert'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { COUNTER_COUNT, HOLDERS, type Holder } from './holders.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Of this thread alone: every thread has a heap of its own. */
function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const { holder, shared } = workerData as { holder: Holder; shared?: SharedArrayBuffer }
const before = heapBytes()
const held = HOLDERS[holder](shared)
const bytes = heapBytes() - before
assert.equal(await held.total(), COUNTER_COUNT)
parentPort!.on('message', () => process.exit(held.counters.length === COUNTER_COUNT ? 0 : 1))
parentPort!.postMessage(bytes)
