/**
 * Hosts for the counting filter: ours over either kind of zone, the plainest in JavaScript, and the
 * least that a host in WebAssembly can do.
 */
import { strict as assert } from 'node:assert'
import { type WasmMemory, wasm } from '../../src/arena/wasm.ts'
import { FilterHost } from '../../src/dialects/proxywasm/host/host.ts'
import { FilterModule } from '../../src/dialects/proxywasm/host/module/module.ts'
import { openZoneSpace } from '../../src/dialects/proxywasm/store/space.ts'
import { type Backing, Zone } from '../../src/shm/index.ts'
import { assembleWat } from '../../test/filters/wat.ts'
import { processorSeconds } from '../measure/own-cpu.ts'
import type { Contender } from '../measure/question.ts'
import {
  assembleFilter,
  CALLS,
  FIRST_HISTOGRAM,
  type FilterCall,
  METRICS,
} from './counting-filter.ts'

/** A host that knows what arrived. */
export interface Host extends Contender {
  /** Calls that left their trace in the metrics. */
  arrived(): number
  close(): void
}

/** @param backing with `wasm` the filter's imports are linked past JavaScript */
export async function startOurs(backing: Backing, call: FilterCall): Promise<Host> {
  const zone = Zone.create({ backing })
  const space = openZoneSpace({ shared: zone.shared })
  const module = await FilterModule.compile(await assembleFilter(call))
  const host = FilterHost.start(module, { name: 'bench' }, { space })
  const reader = zone.reader()
  const way = backing === 'wasm' ? 'wasm to wasm' : 'through JavaScript'
  return {
    title: `pentameter, ${way}, ${call}`,
    round: () => cost(() => assert.equal(host.request().verdict, 'completed')),
    arrived() {
      let sum = 0n
      for (let metric = 0; metric < zone.metrics; metric++) {
        if (zone.type(metric) === 'counter') sum += reader.counter(metric)
        else sum += reader.dense(metric).bins.reduce((total, count) => total + count)
      }
      return Number(sum)
    },
    close() {
      host.close()
      space.writer.detach()
    },
  }
}

const BINS = 33
const OK = 0

/** What anyone would write first: two typed arrays, ids that are indices, no check. */
export function startPlain(call: FilterCall): Promise<Host> {
  const totals = new BigUint64Array(FIRST_HISTOGRAM)
  const bins = new BigUint64Array(METRICS * BINS)
  const calls = {
    proxy_increment_metric(id: number, delta: bigint) {
      totals[id]! += delta
      return OK
    },
    proxy_record_metric(id: number, value: bigint) {
      const bin = 32 - Math.clz32(Number(value) - 1)
      bins[(id - FIRST_HISTOGRAM) * BINS + bin]! += 1n
      return OK
    },
  }
  return startOver(calls, 'plain host', call, () => [...totals, ...bins])
}

const BARE = `(module
  (memory (export "memory") 1)
  (func (export "increment") (param i32 i64) (result i32)
    (local.set 0 (i32.shl (local.get 0) (i32.const 3)))
    (i64.store (local.get 0) (i64.add (i64.load (local.get 0)) (local.get 1)))
    (i32.const 0)))`

/** The limit: a call from one module into another that adds to a word, whatever the id is. */
export async function startBare(): Promise<Host> {
  const { exports } = new wasm.Instance(await wasm.compile(await assembleWat(BARE, 'bare.wat')), {})
  const { increment, memory } = exports as { increment: () => number; memory: WasmMemory }
  const totals = new BigUint64Array(memory.buffer, 0, FIRST_HISTOGRAM)
  const calls = { proxy_increment_metric: increment, proxy_record_metric: () => OK }
  return startOver(calls, 'nothing but an addition in wasm', 'increment', () => totals)
}

async function startOver(
  calls: Readonly<Record<string, (...args: never[]) => number>>,
  name: string,
  call: FilterCall,
  counts: () => Iterable<bigint>,
): Promise<Host> {
  let defined = 0
  const { exports } = new wasm.Instance(await wasm.compile(await assembleFilter(call)), {
    env: {
      proxy_define_metric(_type: number, _name: number, _size: number, idAt: number) {
        new DataView((exports.memory as WasmMemory).buffer).setUint32(idAt, ++defined, true)
        return OK
      },
      ...calls,
    },
  })
  const { proxy_on_vm_start, proxy_on_request_headers } = exports as Record<
    string,
    (...args: number[]) => number
  >
  proxy_on_vm_start!(1, 0)
  return {
    title: `${name}, ${call}`,
    round: () => cost(() => assert.equal(proxy_on_request_headers!(2, 0, 1), OK)),
    arrived: () => [...counts()].reduce((sum, count) => sum + Number(count), 0),
    close() {},
  }
}

/** Nanoseconds of processor time per call. */
function cost(request: () => void): number {
  return (processorSeconds(request) * 1e9) / CALLS
}
