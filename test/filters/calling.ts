/** A filter that makes given calls at every request, and tells what came of them. */
import { FilterHost } from '../../src/dialects/proxywasm/host/host.ts'
import { FilterModule } from '../../src/dialects/proxywasm/host/module/module.ts'
import { openZoneSpace } from '../../src/dialects/proxywasm/store/space.ts'
import { Zone } from '../../src/shm/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { filterText } from './hostile.ts'
import { assembleWat } from './wat.ts'

/** A bigint is an i64. */
type Argument = number | bigint
export type Call = readonly [module: string, name: string, ...args: Argument[]]

/** Results are written behind what the calls may write to. */
const RESULTS_AT = 8_192
const SET_BODY = `(import "env" "proxy_set_buffer_bytes"
  (func $body (param i32 i32 i32 i32 i32) (result i32)))`

export interface Called {
  /** Answer of each call. */
  readonly answers: readonly number[]
  /** The filter's memory afterwards, up to RESULTS_AT. */
  readonly memory: DataView
  readonly lines: readonly string[]
  /** Reason of a failure. */
  readonly reason: string
  /** Milliseconds that it slept. */
  readonly sleptMs: number
  readonly host: FilterHost
}

/**
 * Calls from within a filter, one after the other.
 * @param data bytes that its memory has at first, from address 0
 */
export async function callFromFilter(
  calls: readonly Call[],
  data: Uint8Array = new Uint8Array(0),
): Promise<Called> {
  const bytes = await assembleWat(callingText(calls, data))
  const zone = Zone.create()
  const clock = new FakeClock()
  const lines: string[] = []
  let sleptMs = 0
  const host = FilterHost.start(
    await FilterModule.compile(bytes),
    { name: 'calling', environment: { A: 'b' } },
    {
      space: openZoneSpace({ shared: zone.shared }),
      clock,
      onLog: ({ level, text }) => lines.push(`${level} ${text}`),
      sleep: (ms) => {
        sleptMs += ms
        clock.advance(ms)
      },
    },
  )
  const { request, reason } = host.request({ body: ' ' })
  const { buffer, byteOffset } = Buffer.from(request.body)
  const memory = new DataView(buffer, byteOffset, request.body.length)
  const isOver = memory.byteLength < RESULTS_AT
  const answers = isOver ? [] : calls.map((_, i) => memory.getUint32(RESULTS_AT + 4 * i, true))
  return { answers, memory, lines, reason, sleptMs, host }
}

function callingText(calls: readonly Call[], data: Uint8Array): string {
  const types = (args: readonly Argument[]) =>
    args.map((arg) => (typeof arg === 'bigint' ? 'i64' : 'i32')).join(' ')
  const imports = calls.map(([module, name, ...args], i) => {
    const result = name === 'proc_exit' ? '' : '(result i32)'
    return `(import "${module}" "${name}" (func $c${i} (param ${types(args)}) ${result}))`
  })
  const made = calls.map(([, name, ...args], i) => {
    const values = args.map((arg) => `(${types([arg])}.const ${arg})`).join(' ')
    const call = `(call $c${i} ${values})`
    return name === 'proc_exit' ? call : `(i32.store (i32.const ${RESULTS_AT + 4 * i}) ${call})`
  })
  const escaped = [...data].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  return filterText({
    imports: `${imports.join('\n')} ${SET_BODY}`,
    memory: `(memory (export "memory") 1) (data (i32.const 0) "${escaped}")`,
    onRequest: `${made.join('\n')}
      (drop (call $body (i32.const 0) (i32.const 0) (i32.const -1)
        (i32.const 0) (i32.const ${RESULTS_AT + 4 * calls.length})))
      (i32.const 0)`,
  })
}
