/**
 * The golden vectors of Stats Hero and what runs them: shapes, a collecting visitor, and the
 * `semantics` runner over any ingest.
 */
import { readFileSync } from 'node:fs'
import type { ModelSeries } from '../../../../test/support/model-ingest.ts'
import { type Exact, exactToJson } from '../../../model/index.ts'
import type { Ingest } from '../../ingest.ts'
import type { PacketVisitor } from '../codec/line-visitor.ts'
import { decodeDatagram } from '../codec/packet.ts'
import { frameRules } from '../codec.ts'
import { LineMapper } from '../map.ts'
import { RECEIVE_DEFAULTS } from '../options.ts'
import { type LineErrorCode, type PacketErrorCode, TYPE_WORDS } from '../spec.ts'

export interface GoodItem {
  readonly key?: string
  readonly key_b64?: string
  readonly value: number | string
  readonly type: string
  readonly sampleRate?: number
}

export interface BadItem {
  readonly error: string
}

/** What becomes of a packet. */
export interface PacketResult {
  readonly items?: readonly (GoodItem | BadItem)[]
  readonly packetError?: string
  readonly dialect?: string
}

export interface DecodeCase {
  readonly id: string
  readonly bytes_b64: string
  readonly expect: PacketResult
  readonly document: 'ok' | 'reject'
}

export interface TcpCase {
  readonly id: string
  readonly chunks_b64: readonly string[]
  readonly expect: {
    readonly frames: readonly PacketResult[]
    readonly end: 'clean' | 'truncated' | 'closed'
  }
}

export interface DispatchCase {
  readonly id: string
  readonly bytes_b64: string
  readonly dialect: string
  readonly expect: PacketResult
}

export interface EncodeLine {
  readonly key?: string
  readonly key_b64?: string
  readonly key_repeat?: readonly [text: string, count: number]
  readonly value: number | string
  readonly type: string
  readonly sampleRate?: number
}

export interface EncodeCase {
  readonly id: string
  readonly lines: readonly EncodeLine[]
  readonly options?: { readonly profile?: 'document' | 'peer'; readonly maxDatagramBytes?: number }
  readonly expect: {
    readonly packets?: readonly string[]
    readonly packets_b64?: readonly string[]
    readonly error?: string
  }
}

export interface SemanticsCase {
  readonly id: string
  readonly datagrams_text: readonly string[]
  readonly options?: {
    readonly counterBits?: Record<string, 32 | 64>
    readonly negativeMeter?: 'split' | 'refuse'
  }
  readonly expect: { readonly points: readonly object[]; readonly counted: Record<string, number> }
}

// biome-ignore lint/suspicious/noExplicitAny: the aggregation group has a shape per case
type AnyCase = { readonly id: string } & Record<string, any>

export interface StatsHeroVectors {
  readonly decode: readonly DecodeCase[]
  readonly tcp: readonly TcpCase[]
  readonly dispatch: readonly DispatchCase[]
  readonly encode: readonly EncodeCase[]
  readonly semantics: readonly SemanticsCase[]
  readonly aggregation: readonly AnyCase[]
}

const VECTORS = new URL('../vectors/statshero.json', import.meta.url)

export function loadVectors(file: URL | string = VECTORS): StatsHeroVectors {
  return JSON.parse(readFileSync(file, 'utf8')) as StatsHeroVectors
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}

/** A packet with this body. */
export function packetOf(body: string | Uint8Array): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return Buffer.concat([Buffer.from(`1|${bytes.length}\n`), bytes])
}

/** Collects every packet as the vectors print it, without `detail`. */
export class PacketCollector implements PacketVisitor {
  readonly packets: PacketResult[] = []
  /** True once an error said that nothing more can be read. */
  isClosed = false
  #items: (GoodItem | BadItem)[] = []

  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    this.#add(bytes.slice(keyStart, keyEnd), type, value, rate)
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const value = BigInt(Buffer.from(bytes.subarray(valueStart, valueEnd)).toString('latin1'))
    this.#add(bytes.slice(keyStart, keyEnd), type, value.toString(), rate)
  }

  #add(key: Uint8Array, type: number, value: number | string, rate: number): void {
    this.#items.push({
      key_b64: Buffer.from(key).toString('base64'),
      value,
      type: TYPE_WORDS[type]!,
      ...(Number.isNaN(rate) ? {} : { sampleRate: rate }),
    })
  }

  badLine(code: LineErrorCode): void {
    this.#items.push({ error: code })
  }

  packetEnd(): void {
    this.packets.push({ items: this.#items })
    this.#items = []
  }

  badPacket(
    code: PacketErrorCode,
    _detail: string,
    _bytes: Uint8Array,
    _start: number,
    _end: number,
    _offset: number,
    isResync: boolean,
  ): void {
    this.packets.push({ packetError: code })
    this.isClosed ||= !isResync
    this.#items = []
  }
}

/** An expected result in the collector's form: keys as base64, no `detail`. */
export function expectedPacket(result: PacketResult): PacketResult {
  if (result.packetError !== undefined) return { packetError: result.packetError }
  return { items: (result.items ?? []).map(expectedItem) }
}

function expectedItem(item: GoodItem | BadItem): GoodItem | BadItem {
  if ('error' in item) return { error: item.error }
  const { key, key_b64, ...rest } = item
  return { key_b64: key_b64 ?? Buffer.from(key ?? '').toString('base64'), ...rest }
}

/** Feeds the datagrams of a case through decode and map; returns the decode errors by code. */
export function feedSemantics(vector: SemanticsCase, ingest: Ingest): Record<string, number> {
  const options = { ...RECEIVE_DEFAULTS, ...vector.options }
  const errors: Record<string, number> = {}
  const count = (code: string) => {
    errors[code] = (errors[code] ?? 0) + 1
  }
  class Feeder extends LineMapper implements PacketVisitor {
    packetEnd(): void {}
    badLine(code: string): void {
      count(code)
    }
    badPacket(code: string): void {
      count(code)
    }
  }
  const feeder = new Feeder(ingest, options)
  for (const text of vector.datagrams_text) {
    ingest.begin('127.0.0.1')
    decodeDatagram(Buffer.from(text), frameRules(options), feeder)
  }
  return errors
}

/** The point that a vector prints for a series. */
export function modelPoint(series: ModelSeries): object {
  const key = Buffer.from(series.key).toString()
  const type = TYPE_WORDS[series.type]!
  if (type === 'm') {
    const down = series.down === 0 ? {} : { down: exactToJson(series.down) }
    return { key, type, total: exactToJson(series.total), ...down }
  }
  if (type === 'mr') {
    const { total, resets, last } = series
    return { key, type, total: exactToJson(total), resets, last: exactToJson(last as Exact) }
  }
  if (type === 'g') return { key, type, value: exactToJson(series.value as Exact) }
  const histogram = series.histogram.atScale(0)
  const { count, sum, min, max, zeroCount, positive, negative } = histogram
  return {
    key,
    type,
    count: Number(count),
    sum: exactToJson(sum as Exact),
    min: exactToJson(min),
    max: exactToJson(max),
    zero: Number(zeroCount),
    ...bucketsOf('positive', positive),
    ...bucketsOf('negative', negative),
  }
}

function bucketsOf(side: string, run: { forEach(visit: (i: number, n: bigint) => void): void }) {
  const counts: Record<string, number> = {}
  run.forEach((index, count) => {
    counts[index] = Number(count)
  })
  return Object.keys(counts).length === 0 ? {} : { [side]: counts }
}
