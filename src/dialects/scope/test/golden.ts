/** The golden cases of dialect scope, typed; their layout is explained inside the file. */
import { readFileSync } from 'node:fs'
import { respell } from '../../../../test/support/codes.ts'
import { fromHex } from '../../../model/index.ts'

interface Case {
  readonly name: string
  readonly note?: string
}
type U64 = { readonly $u64: string }
type Pairs<T> = readonly (readonly [string, T])[]

export interface ScopeVectors {
  readonly versions: readonly (Case & {
    readonly hex: string
    readonly value: number
    readonly client_accepts: boolean
  })[]
  readonly client_settings: readonly (Case & {
    readonly sampling_interval: U64
    readonly payload_hex: string
    readonly frame_hex: string
    readonly array_payload_hex: string
    readonly array_frame_hex: string
    readonly server_accepts: boolean
    readonly error?: string
  })[]
  readonly information: readonly (Case & {
    readonly metrics: Pairs<Pairs<string>>
    readonly payload_hex: string
    readonly frame_hex: string
  })[]
  readonly snapshot: readonly (Case & {
    readonly t: U64
    readonly d: Pairs<unknown>
    readonly payload_hex: string
    readonly frame_hex: string
  })[]
  readonly accepted_variants: readonly (Case & {
    readonly for: 'client_settings' | 'packet'
    readonly payload_hex: string
    readonly result: unknown
    readonly canonical_frame_hex?: string
  })[]
  readonly rejected: readonly (Case & {
    readonly for: 'client_settings' | 'packet'
    readonly payload_hex: string
    readonly error: string
    readonly lenient: null | { readonly kind: string; readonly dropped: number }
  })[]
  readonly framing: readonly (Case & {
    readonly side: 'server' | 'client'
    readonly first_bytes_hex: string
    readonly idle_after: boolean
    readonly expect: string
    readonly reads?: { readonly sampling_interval: U64 }
  })[]
  readonly streams: readonly (Case & {
    readonly framing: 'framed' | 'unframed'
    readonly client_stream_hex: string
    readonly server_stream_hex: string
    readonly packets: readonly unknown[]
  })[]
  readonly ticks: readonly (Case & {
    readonly requested_ns: U64
    readonly min_interval_ns: U64
    readonly effective_ns: U64
    readonly wakeups_elapsed_ns: readonly U64[]
    readonly sent_t: readonly U64[]
    readonly missed: number
  })[]
  readonly colors: readonly (Case & { readonly label: string; readonly color: string | null })[]
  readonly options: readonly (Case & {
    readonly option: string
    readonly arg: string
    readonly result: unknown
  })[]
  readonly sma: readonly (Case & {
    readonly window: number
    readonly in: readonly unknown[]
    readonly out: readonly (number | null)[]
  })[]
  readonly trigger: readonly (Case & {
    readonly window_s: number
    readonly metrics: readonly TriggerMetric[]
    readonly steps: readonly TriggerStep[]
    readonly expect: readonly unknown[]
  })[]
  readonly names: readonly (Case & {
    readonly base: string
    readonly labels: Pairs<string>
    readonly wire: string
  })[]
  readonly canonical: readonly (Case & {
    readonly series: Readonly<Record<string, unknown>>
    readonly wire_name: string
    readonly value: unknown
  })[]
}

export interface TriggerMetric {
  readonly key: string
  readonly below: number | null
  readonly above: number | null
}

export type TriggerStep =
  | { readonly t: number; readonly values: Readonly<Record<string, unknown>> }
  | {
      readonly action: string
      readonly key: string
      readonly set: { readonly below?: number | null; readonly above?: number | null }
    }

const FILE = new URL('../vectors/scope.json', import.meta.url)

export const VECTORS = respell(JSON.parse(readFileSync(FILE, 'utf8')) as ScopeVectors)

/** The number that `{"$f64": …}`, `{"$u64": …}` or a JSON number stands for. */
export function readNumber(value: unknown): number {
  if (value === null || value === undefined) return Number.NaN
  if (typeof value === 'number') return value
  const { $f64, $u64 } = value as { $f64?: string; $u64?: string }
  return Number($f64 ?? $u64)
}

export function u64(value: U64): bigint {
  return BigInt(value.$u64)
}

export function hex(text: string): Uint8Array {
  return fromHex(text)
}
