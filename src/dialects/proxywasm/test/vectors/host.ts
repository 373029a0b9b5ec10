/**
 * Vectors of Proxy-Wasm metrics that need a host: a filter is assembled that makes one call of the
 * case at each request and answers with what the call gave, so that a trap ends it as in life.
 */

import { assembleWat } from '../../../../../test/filters/wat.ts'
import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { SERIES_LIMITS, SeriesQuota } from '../../../../hub/ingest/quota.ts'
import { Zone } from '../../../../shm/index.ts'
import type { HostMode } from '../../host/abi.ts'
import { FilterHost } from '../../host/host.ts'
import type { MetricSpace } from '../../host/metric-space.ts'
import { FilterModule } from '../../host/module/module.ts'
import { openMetricSpace } from '../../hub/hub-space.ts'
import { FILTER_TYPES, type FilterMetricType } from '../../spec.ts'
import { FilterSettings } from '../../store/filter-settings.ts'
import { MetricStore } from '../../store/metric-store.ts'
import type { StoreOptions } from '../../store/options.ts'
import { fill, fillStore } from './store.ts'

interface Call {
  readonly fn: 'define' | 'increment' | 'record' | 'get'
  readonly type?: number
  readonly name?: string
  /** Names the id that a definition returns. */
  readonly as?: string
  /** Such a name, or a number. */
  readonly id?: string | number
  readonly delta?: string
  readonly value?: string
}

interface Result {
  readonly status?: number
  readonly value?: string
  readonly trap?: string
}

export async function checkHostCalls(testCase: VectorCase): Promise<undefined> {
  const calls = testCase.calls as readonly Call[]
  const expect = testCase.expect as Record<string, readonly (Result | null)[]>
  const filter = (testCase.filter as string | undefined) ?? 'f'
  for (const [host, results] of Object.entries(expect)) {
    const wanted = results.filter((result): result is Result => result !== null)
    const store = storeOf(testCase, host as HostMode)
    const made = await makeCalls(store.space(store.attach()), filter, calls)
    same(`under ${host}`, made.slice(0, wanted.length), wanted)
    store.close()
    // the hub's filters have the document's limit of names
    if (testCase.maxMetricNameLength !== undefined) continue
    const space = hubSpaceOf(testCase, host as HostMode, filter)
    const madeInHub = await makeCalls(space, filter, calls)
    same(`in a hub, under ${host}`, madeInHub.slice(0, wanted.length), wanted)
    space.writer.detach()
  }
  return undefined
}

/** The space that a hub gives to a filter of its configuration, over a zone of its own. */
function hubSpaceOf({ zone: state, profile }: VectorCase, host: HostMode, name: string) {
  const isFull = state === 'full'
  const zone = Zone.create({
    keyBytesLimit: 65_535,
    ...(isFull ? { onFull: 'error', slabSize: 65_536 } : {}),
  })
  if (isFull) fill((key) => zone.define(Buffer.from(key), 'gauge', { mode: 'shared' }))
  return openMetricSpace({
    zone: zone.shared,
    quota: SeriesQuota.create(SERIES_LIMITS).shared,
    limits: SERIES_LIMITS,
    thread: 1,
    channel: 'vectors',
    filter: {
      ...{ name, host, metricsPerFilterLimit: 10_000 },
      profile: (profile ?? 'document') as 'document' | 'peer',
    },
    settings: FilterSettings.create({
      ...{ slabSize: 5_242_880, maxMetricNameLength: 256 },
      ...{ histogram: 'dense', workers: 1, metricNames: 'label' },
    }).shared,
    labelPatterns: [],
  })
}

function storeOf({ zone, maxMetricNameLength, profile }: VectorCase, host: HostMode): MetricStore {
  const isFull = zone === 'full'
  const store = MetricStore.create({
    host,
    ...(isFull ? { onFull: 'error', slabSize: '64k' } : {}),
    ...(maxMetricNameLength === undefined
      ? {}
      : { maxMetricNameLength: maxMetricNameLength as number }),
    ...(profile === undefined ? {} : { profile: profile as 'document' | 'peer' }),
  })
  if (isFull) fillStore(store)
  return store
}

/** Results in order, up to the first trap; in its text `<id>` stands for the call's metric. */
async function makeCalls(
  space: MetricSpace,
  filter: string,
  calls: readonly Call[],
): Promise<Result[]> {
  const results: Result[] = []
  const ids = new Map<string, number>()
  for await (const { call, answer, trap } of play(space, filter, calls)) {
    if (trap !== undefined) {
      const id = typeof call.id === 'string' ? ids.get(call.id) : undefined
      results.push({ trap: id === undefined ? trap : trap.replace(`"${id}"`, '"<id>"') })
      return results
    }
    const status = answer.getUint32(0, true)
    if (call.as !== undefined) ids.set(call.as, answer.getUint32(4, true))
    const value = answer.getBigUint64(8, true)
    results.push(call.fn === 'get' && status === 0 ? { status, value: `${value}` } : { status })
  }
  return results
}

interface Played {
  readonly call: Call
  /** `[status:u32][id:u32][value:u64]`, of what the call gives. */
  readonly answer: DataView
  readonly trap?: string
}

async function* play(
  space: MetricSpace,
  filter: string,
  calls: readonly Call[],
): AsyncGenerator<Played> {
  const module = await FilterModule.compile(await assembleWat(driver(calls)))
  const host = FilterHost.start(module, { name: filter }, { space })
  for (const call of calls) {
    const { verdict, response, reason } = host.request()
    const { buffer, byteOffset, byteLength } = response.body
    const answer = new DataView(buffer, byteOffset, byteLength)
    yield verdict === 'failed' ? { call, answer, trap: reason } : { call, answer }
  }
  host.close()
}

/** Ids as the host gives them, in the order of the definitions. */
export async function idsOf({
  types,
  names,
  filter = 'f',
  ...options
}: StoreOptions & {
  readonly names: readonly string[]
  readonly types?: readonly FilterMetricType[]
  readonly filter?: string
}): Promise<number[]> {
  const store = MetricStore.create(options)
  const calls = names.map((name, i): Call => {
    return { fn: 'define', type: FILTER_TYPES.indexOf(types?.[i] ?? 'counter'), name, as: `${i}` }
  })
  const ids: number[] = []
  const space = store.space(store.attach())
  for await (const { answer } of play(space, filter, calls)) ids.push(answer.getUint32(4, true))
  store.close()
  return ids
}

export async function checkIds({ host, profile, filter, names, define, ids }: VectorCase) {
  const types = define as FilterMetricType[]
  const found = await idsOf({
    host: host as HostMode,
    types,
    names: (names as string[] | undefined) ?? types.map((_, i) => `metric_${i}`),
    ...(profile === undefined ? {} : { profile: profile as 'document' | 'peer' }),
    ...(filter === undefined ? {} : { filter: filter as string }),
  })
  same('ids', found, ids)
  return undefined
}

/** Addresses in the driver's memory. */
const ANSWER = 0
const ANSWER_BYTES = 16
const IDS = 1_024
const NAMES = 4_096
const SCRATCH = 60_000

/** A filter that makes the n-th call at the n-th request. */
function driver(calls: readonly Call[]): string {
  const slots = [...new Set(calls.flatMap(({ as }) => as ?? []))]
  const idAt = (name: string): number => IDS + 4 * slots.indexOf(name)
  let nameAt = NAMES
  const data: string[] = []
  const steps = calls.map((call, n) => {
    const bytes = Buffer.from(call.name ?? '')
    const at = nameAt
    nameAt += bytes.length
    const escaped = [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
    data.push(`(data (i32.const ${at}) "${escaped}")`)
    return `(if (i32.eq (local.get $n) (i32.const ${n})) (then
      (i32.store (i32.const ${ANSWER}) ${callText(call, at, bytes.length, idAt)})
      ${call.as === undefined ? '' : `(i32.store (i32.const ${ANSWER + 4}) ${load(idAt(call.as))})`}
    ))`
  })
  return `(module
  (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))
  (import "env" "proxy_get_metric" (func $get (param i32 i32) (result i32)))
  (import "env" "proxy_send_local_response"
    (func $send (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $next (mut i32) (i32.const 0))
  ${data.join('\n  ')}
  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_memory_allocate") (param i32) (result i32) (i32.const ${SCRATCH}))
  (func (export "proxy_on_context_create") (param i32 i32))
  (func (export "proxy_on_vm_start") (param i32 i32) (result i32) (i32.const 1))
  (func (export "proxy_on_configure") (param i32 i32) (result i32) (i32.const 1))
  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32) (local $n i32)
    (local.set $n (global.get $next))
    (global.set $next (i32.add (local.get $n) (i32.const 1)))
    ${steps.join('\n    ')}
    (drop (call $send (i32.const 200) (i32.const 0) (i32.const 0)
      (i32.const ${ANSWER}) (i32.const ${ANSWER_BYTES})
      (i32.const 0) (i32.const 0) (i32.const -1)))
    (i32.const 1)))`
}

function callText(
  { fn, type, as, id, delta, value }: Call,
  nameAt: number,
  nameSize: number,
  idAt: (name: string) => number,
): string {
  const metric = typeof id === 'string' ? load(idAt(id)) : `(i32.const ${(id ?? 0) | 0})`
  switch (fn) {
    case 'define':
      return `(call $define (i32.const ${type}) (i32.const ${nameAt}) (i32.const ${nameSize})
        (i32.const ${as === undefined ? SCRATCH : idAt(as)}))`
    case 'increment':
      return `(call $increment ${metric} (i64.const ${signed(delta)}))`
    case 'record':
      return `(call $record ${metric} (i64.const ${signed(value)}))`
    case 'get':
      return `(call $get ${metric} (i32.const ${ANSWER + 8}))`
  }
}

function load(at: number): string {
  return `(i32.load (i32.const ${at}))`
}

function signed(value: string | undefined): bigint {
  return BigInt.asIntN(64, BigInt(value ?? 0))
}
