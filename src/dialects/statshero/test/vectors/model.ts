/** Runs the semantics and naming vectors of Stats Hero: from datagrams to what the hub holds. */

import { Mismatch, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { prometheusNames } from '../../../../exposition/series-names.ts'
import { layoutTask } from '../../../../http/export/otlp/layout.ts'
import { parseConfig } from '../../../../hub/config/config.ts'
import { dialectOptions } from '../../../../hub/config/values.ts'
import { Hub } from '../../../../hub/hub.ts'
import { isDecrements, type SeriesRecord } from '../../../../hub/series/record.ts'
import { runNow } from '../../../../hub/tasks/task.ts'
import { type BucketRun, type Exact, exactToJson } from '../../../../model/index.ts'
import type { Peer } from '../../../endpoints.ts'
import { dialect as statshero } from '../../dialect.ts'

const PEER: Peer = { transport: 'udp', address: '192.0.2.1', port: 40000 }
const STILL = { monotonicNs: () => 0n, wallMs: () => 0, after: () => () => {} }
const SOURCE = { revision: 0, list: () => [], read() {} }
/** Counters of the hub whose label `code` says what was refused or remarked. */
const COUNTED = ['pentameter.decode.errors', 'pentameter.ingest.refused', 'pentameter.ingest.noted']

/** A hub that was given the datagrams of a case, through the dialect's own server. */
function hubAfter(datagrams: readonly Uint8Array[], options: object = {}): Hub {
  const config = parseConfig({ statshero: options, zoneBytesLimit: 1_048_576 }, [statshero])
  const hub = new Hub({ config, clock: STILL, log() {}, guests: [] })
  const server = statshero.createServer!({
    ingest: hub.createIngest('statshero'),
    openSnapshot: () => SOURCE,
    reports: hub.reports.for('statshero'),
    clock: STILL,
    options: dialectOptions(config, statshero.name),
  })
  for (const bytes of datagrams) {
    if (statshero.claims(bytes) !== true) throw new Mismatch('claimed by Stats Hero', true, false)
    server.datagram!(bytes, PEER)
  }
  return hub
}

/** What a hub holds after some datagrams. */
export type Holding = Pick<Hub, 'series' | 'total'>

/** @param holdingAfter who takes the datagrams; a hub that ingests in one thread unless given */
export function checkSemantics(
  testCase: VectorCase,
  holdingAfter: (datagrams: readonly Uint8Array[], options?: object) => Holding = hubAfter,
): undefined {
  const datagrams = (testCase.datagrams_text as string[]).map((text) => Buffer.from(text))
  const hub = holdingAfter(datagrams, testCase.options as object | undefined)
  const { points, counted } = testCase.expect as { points: Point[]; counted: object }
  const order = (list: Point[]) => list.map(canonical).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  same('points', order(pointsOf(hub)), order(points))
  same('counted', countedOf(hub), { ...counted })
}

type Point = Readonly<Record<string, unknown>>

function idOf({ key, type }: Point): string {
  return `${key} ${type}`
}

/** Keys of objects in one order; sides without buckets left out. */
function canonical(point: Point): Point {
  const entries = Object.entries(point)
    .map(([key, value]) => [key, isPlain(value) ? canonical(value) : value] as const)
    .filter(([, value]) => !isPlain(value) || Object.keys(value).length > 0)
  return Object.fromEntries(entries.sort((a, b) => (a[0] < b[0] ? -1 : 1)))
}

function isPlain(value: unknown): value is Point {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pointsOf(hub: Holding): Point[] {
  return [...hub.series]
    .filter((record) => record.metadata.dialect === 'statshero' && !isDecrements(record))
    .map((record) => pointOf(hub, record))
}

function pointOf(hub: Holding, record: SeriesRecord): Point {
  const { identity, metadata } = record
  const reading = record.kind === 'counter' ? record.reading : undefined
  const total = hub.total(record)
  const name = { ...keyOf(record), type: metadata.type }
  if (total.kind === 'gauge') return { ...name, value: jsonOf(total.value) }
  if (total.kind === 'counter') {
    const down = total.decrements === 0 ? {} : { down: jsonOf(total.decrements) }
    const read = reading && { resets: reading.resets, last: jsonOf(reading.last) }
    return { ...name, total: jsonOf(total.total), ...down, ...read }
  }
  if (total.kind !== 'histogram') throw new Mismatch('kind', 'known', identity.kind)
  const coarse = total.histogram.atScale(0)
  return {
    ...name,
    count: jsonOf(coarse.count),
    sum: jsonOf(coarse.sum),
    min: jsonOf(coarse.min),
    max: jsonOf(coarse.max),
    zero: Number(coarse.zeroCount),
    positive: bucketsOf(coarse.positive),
    negative: bucketsOf(coarse.negative),
  }
}

function keyOf({ identity }: SeriesRecord): Point {
  const bytes = identity.nameBytes
  return bytes === undefined
    ? { key: identity.name }
    : { key_b64: Buffer.from(bytes).toString('base64') }
}

function jsonOf(value: Exact | undefined): unknown {
  if (value === undefined) return undefined
  const isSmall = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
  return isSmall ? Number(value) : exactToJson(value)
}

function bucketsOf(run: BucketRun): Point {
  const counts: Record<string, number> = {}
  run.forEach((index, count) => {
    counts[index] = Number(count)
  })
  return counts
}

function countedOf(hub: Holding): Record<string, number> {
  const counted: Record<string, number> = {}
  for (const record of hub.series) {
    const { name, labels } = record.identity
    const code = labels.find(([key]) => key === 'code')?.[1]
    const total = hub.total(record)
    if (!COUNTED.includes(name) || code === undefined || total.kind !== 'counter') continue
    counted[code] = (counted[code] ?? 0) + Number(total.total)
  }
  return counted
}

interface Names {
  readonly sample?: string
  readonly name?: string
  readonly decrementSample?: string
  readonly decrementName?: string
  readonly type?: string
  readonly kind?: string
  readonly labels?: object
  readonly attributes?: object
}

/** The names of a series that really arrived, and of its negative part where the case asks. */
export function checkNaming(testCase: VectorCase): undefined {
  const { key, type, unit } = testCase as { key: string; type: string; unit?: string }
  const prometheus = testCase.prometheus as Names
  const otlp = testCase.otlp as Names
  const isSplit = prometheus.decrementSample !== undefined || otlp.decrementName !== undefined
  const body = `${key}:1|${type}\n${isSplit ? `${key}:-1|${type}\n` : ''}`
  // the unit is the case's own, whatever the product makes of such keys
  const units = { '*': '' }
  const hub = hubAfter([Buffer.from(`1|${Buffer.byteLength(body)}\n${body}`)], { units })
  const records = [...hub.series].filter(({ metadata }) => metadata.dialect === 'statshero')
  const names = namesOf(
    records.find((record) => !isDecrements(record)),
    unit,
  )
  const down = records.find(isDecrements)
  const { sample, labels } = names.prometheus
  const decrement = down && namesOf(down, unit)
  same(
    'prometheus',
    present({
      sample,
      type: names.prometheus.type,
      labels: Object.fromEntries(labels),
      decrementSample: decrement?.prometheus.sample,
    }),
    { ...present(prometheus), labels: { ...prometheus.labels } },
  )
  const { name, kind, attributes } = names.otlp
  const actual = present({ name, kind, attributes, decrementName: decrement?.otlp.name })
  same('otlp', actual, present(otlp))
}

const RULES = statshero.exportRules!({})
const FORMS = { temporality: 'dialect', histogram: 'dialect' } as const

function namesOf(record: SeriesRecord | undefined, unit: string | undefined) {
  if (record === undefined) throw new Mismatch('series', 'one', 'none')
  if (unit !== undefined) record.metadata = { ...record.metadata, unit }
  const { metadata } = record
  const [prometheus] = prometheusNames(record.identity, metadata, RULES)
  const view = { version: '', exportRules: () => RULES }
  const [group] = runNow(layoutTask([record], FORMS, view))
  const { head, kind, rows } = group!
  const otlp = { name: head.name, kind, attributes: Object.fromEntries(rows[0]!.attributes) }
  return { prometheus: prometheus!, otlp }
}

/** Without the fields that are undefined, so that an absent part equals a missing field. */
function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
