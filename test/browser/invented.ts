/**
 * Invented series for the page: every value is a pure function of series and second, so that any
 * window can be asked for without storing anything, and a repeated question has the same answer.
 */
import type { HistogramCellJson, Kind, SummaryCellJson } from '../../src/http/api.ts'

/** What an invented hub is in. */
export type Scene = 'empty' | 'busy' | 'limit' | 'listener' | 'many' | 'history'

export interface Invented {
  readonly id: number
  readonly name: string
  readonly kind: Kind
  readonly labels: readonly (readonly [string, string])[]
  readonly dialect: string
  readonly unit?: string
  readonly type?: string
  readonly displayName?: string
  readonly rateTimeScaleS?: number
  /** Rate, value or median. */
  readonly base: number
  /** Share by which it wanders, and over how many seconds. */
  readonly swing: number
  readonly period: number
  /** Observations per second of a histogram or summary. */
  readonly perSecond: number
  readonly sigma: number
  readonly scale: number
  /** A histogram of values below zero: the mirror image. */
  readonly isBelowZero?: boolean
  /** Seconds from one peak within a second to the next, and its factor: a gauge that is sampled. */
  readonly peaks?: { readonly every: number; readonly by: number }
  /** Factor from a moment on, reached over some seconds. */
  readonly event?: { readonly at: number; readonly by: number; readonly ramp: number }
  /** First second with data, and the last, where it has fallen silent. */
  readonly from: number
  readonly until: number
}

/** An integer hash in [0, 1). */
export function hash(n: number): number {
  let x = Math.imul(n ^ (n >>> 16), 0x45d9f3b)
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b)
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32
}

function noise(seed: number, x: number): number {
  const i = Math.floor(x)
  const f = x - i
  const a = hash(seed * 7919 + (i % 1e6))
  const b = hash(seed * 7919 + ((i + 1) % 1e6))
  return (a + (b - a) * f * f * (3 - 2 * f)) * 2 - 1
}

function wander(seed: number, t: number, period: number): number {
  return 0.65 * noise(seed, t / period) + 0.35 * noise(seed + 1, (t / period) * 3.1)
}

function factor({ event }: Invented, t: number): number {
  if (event === undefined || t < event.at) return 1
  return 1 + (event.by - 1) * Math.min(1, (t - event.at) / event.ramp)
}

function poisson(mean: number, seed: number): number {
  if (mean > 30) {
    const bell = hash(seed) + hash(seed + 1) + hash(seed + 2) - 1.5
    return Math.round(mean + Math.sqrt(mean) * bell * 2)
  }
  let k = 0
  let p = Math.exp(-mean)
  let sum = p
  for (const u = hash(seed); u > sum && k < 90; sum += p) {
    k += 1
    p *= mean / k
  }
  return k
}

const seedOf = (series: Invented, t: number): number => series.id * 7349 + (t % 1_000_003) * 31

export function isAlive(series: Invented, t: number): boolean {
  return t >= series.from && t <= series.until
}

export function counterDelta(series: Invented, t: number): number {
  const slow = 1 + series.swing * wander(series.id, t, series.period)
  return Math.max(0, poisson(series.base * slow * factor(series, t), seedOf(series, t)))
}

export function gaugeValue(series: Invented, t: number): number {
  const slow = 1 + series.swing * wander(series.id, t, series.period)
  return series.base * slow * factor(series, t) * (1 + 0.012 * (hash(seedOf(series, t)) - 0.5))
}

/** Extremes of a gauge within the second that ends at `t`; undefined where it is not sampled. */
export function gaugeSpread(
  series: Invented,
  t: number,
): { first: number; min: number; max: number; count: number } | undefined {
  if (series.peaks === undefined) return undefined
  const value = gaugeValue(series, t)
  const { every, by } = series.peaks
  const max = t % every === 0 ? value * by : value * 1.01
  return { first: value, min: value * 0.99, max, count: 10 }
}

const phi = (x: number): number => 1 / (1 + Math.exp(-1.702 * x))

export function histogramCell(series: Invented, from: number, to: number): HistogramCellJson {
  const cell = positiveCell(series, from, to)
  if (series.isBelowZero !== true || cell.min === null || cell.max === null) return cell
  const { count, sum, min, max, p50 } = cell
  const ends = { min: -max, max: -min, p50: -p50, p90: -min * 1.2, p99: -min }
  return { ...cell, ...ends, sum: -(sum ?? 0), counts: [], negative: count }
}

function positiveCell(series: Invented, from: number, to: number): HistogramCellJson {
  const per = 2 ** series.scale
  const offset = Math.floor((Math.log2(series.base) - 6) * per)
  const counts = new Array<number>(14 * per).fill(0)
  let sum = 0
  for (let t = from + 1; t <= to; t += 1) {
    const by = factor(series, t)
    const middle = Math.log2(series.base * (1 + 0.08 * wander(series.id, t, 20)) * Math.sqrt(by))
    const tail = Math.min(0.5, 0.02 * by * by)
    const width = series.sigma * 1.44
    const below = (x: number): number =>
      (1 - tail) * phi((x - middle) / width) + tail * phi((x - middle - 2.6) / (width * 0.7))
    for (let i = 0; i < counts.length; i += 1) {
      const low = (offset + i) / per
      const share = below(low + 1 / per) - below(low)
      const count = poisson(series.perSecond * share, seedOf(series, t) + i * 61)
      counts[i] = counts[i]! + count
      sum += count * 2 ** (low + 0.5 / per)
    }
  }
  const count = counts.reduce((total, each) => total + each, 0)
  const first = counts.findIndex((each) => each > 0)
  const last = counts.findLastIndex((each) => each > 0)
  const q = (part: number): number => quantile(counts, offset, per, part * count)
  return {
    count,
    sum,
    min: count > 0 ? 2 ** ((offset + first) / per) : null,
    max: count > 0 ? 2 ** ((offset + last + 1) / per) : null,
    p50: q(0.5),
    p90: q(0.9),
    p99: q(0.99),
    scale: series.scale,
    offset: offset + Math.max(0, first),
    counts: count > 0 ? counts.slice(first, last + 1) : [],
    zero: 0,
    negative: 0,
  }
}

function quantile(counts: readonly number[], offset: number, per: number, rank: number): number {
  let below = 0
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i]!
    if (count > 0 && below + count >= rank)
      return 2 ** ((offset + i + (rank - below) / count) / per)
    below += count
  }
  return 0
}

export function summaryCell(series: Invented, t: number): SummaryCellJson {
  const mean = gaugeValue(series, t)
  const spread = mean * 0.12
  return {
    count: series.perSecond,
    mean,
    deviation: spread,
    min: mean - 2 * spread * hash(seedOf(series, t) + 1),
    max: mean + 2 * spread * hash(seedOf(series, t) + 2),
  }
}

type Options = Partial<Omit<Invented, 'id' | 'name' | 'kind' | 'labels' | 'base'>>

export type AddSeries = (
  name: string,
  kind: Kind,
  labels: Readonly<Record<string, string>>,
  base: number,
  options?: Options,
) => Invented

/** The busy hub of the mock: some seventy series of five dialects, four of them unusual. */
export function inventBusy(add: AddSeries, now: number): void {
  const c = (name: string, labels: Record<string, string>, base: number, options: Options = {}) =>
    add(name, 'counter', labels, base, { swing: 0.25, period: 45, ...options })
  const g = (name: string, labels: Record<string, string>, base: number, options: Options = {}) =>
    add(name, 'gauge', labels, base, { swing: 0.12, period: 30, ...options })
  const h = (name: string, labels: Record<string, string>, base: number, options: Options = {}) =>
    add(name, 'histogram', labels, base, { perSecond: 300, sigma: 0.5, scale: 2, ...options })
  const late = { at: now - 38, by: 13, ramp: 9 }
  c('checkout.requests', {}, 412)
  const slow = { at: now - 42, by: 4.6, ramp: 6 }
  h('checkout.latency', { route: '/pay' }, 3.1, { unit: 'ms', perSecond: 180, event: slow })
  h('checkout.latency', { route: '/cart' }, 1.7, { unit: 'ms', perSecond: 232 })
  c('checkout.errors', { code: 'card_declined' }, 3.1, { swing: 0.5 })
  c('checkout.errors', { code: 'timeout' }, 0.3, { event: { at: now - 41, by: 36, ramp: 4 } })
  h('checkout.cart.items', {}, 3, { perSecond: 88, sigma: 0.8, scale: 0 })
  c('api.requests', { method: 'GET', status: '200' }, 18400, { swing: 0.14 })
  c('api.requests', { method: 'POST', status: '201' }, 2260, { swing: 0.2 })
  c('api.requests', { method: 'GET', status: '404' }, 41, { swing: 0.4 })
  c('api.requests', { method: 'POST', status: '503' }, 1.2, { event: late })
  h('api.latency', { route: '/v1/orders' }, 8.2, { unit: 'ms', perSecond: 640, sigma: 0.42 })
  h('api.latency', { route: '/v1/search' }, 21, { unit: 'ms', perSecond: 512, sigma: 0.65 })
  g('queue.depth', { queue: 'email' }, 320, { event: { at: now - 110, by: 6, ramp: 100 } })
  g('queue.depth', { queue: 'invoice' }, 41, { swing: 0.4 })
  c('queue.published', { queue: 'email' }, 96)
  g('db.pool.in_use', { pool: 'primary' }, 17, { swing: 0.3 })
  g('db.pool.in_use', { pool: 'replica' }, 9, { swing: 0.4 })
  h('db.query.duration', { table: 'orders' }, 0.9, { unit: 'ms', perSecond: 1450, sigma: 0.7 })
  for (const host of ['web-1', 'web-2']) {
    g('host.cpu', { host }, 45, { unit: '%', swing: 0.3, period: 14 })
  }
  g('host.memory.used', { host: 'web-1' }, 6.1e9, { unit: 'B', swing: 0.03, period: 80 })
  c('host.net.received', { host: 'web-1' }, 41e6, { unit: 'B' })
  c('batch.export.rows', {}, 12400, { until: now - 252 })
  inventOthers(add)
}

function inventOthers(add: AddSeries): void {
  const runtime = { dialect: 'eventcounters', period: 20 }
  add('System.Runtime/cpu-usage', 'summary', {}, 31, { ...runtime, unit: '%', perSecond: 1 })
  add('System.Runtime/working-set', 'gauge', {}, 2.1e8, { ...runtime, unit: 'B', swing: 0.02 })
  const collections = { displayName: 'Collections', rateTimeScaleS: 60 }
  add('System.Runtime/gc-count', 'counter', {}, 1.4, { ...runtime, ...collections })
  add('Kestrel/requests-per-second', 'counter', {}, 33, runtime)
  const wasm = { dialect: 'proxywasm' }
  add('auth_filter.requests', 'counter', { result: 'allowed' }, 6210, { ...wasm, swing: 0.1 })
  add('auth_filter.requests', 'counter', { result: 'denied' }, 74, { ...wasm, swing: 0.4 })
  const coarse = { ...wasm, unit: 'us', perSecond: 6280, scale: 0, sigma: 0.7 }
  add('auth_filter.duration', 'histogram', {}, 46, coarse)
  add('waf.matched', 'counter', { rule: 'sqli' }, 0.4, { ...wasm, swing: 1 })
  for (const pipeline of ['Nbbo', 'Orders']) {
    for (const worker of ['initializer', 'worker2', 'worker3']) {
      const labels = { pipeline, worker }
      const options = { dialect: 'wallaroo', unit: 'ns', scale: 0, perSecond: 1900, sigma: 0.6 }
      add('wallaroo.pipeline.latency', 'histogram', labels, 61_000, options)
      add('wallaroo.decode.latency', 'histogram', labels, 3200, options)
    }
  }
  const robot = { dialect: 'scope', swing: 0.6, period: 5 }
  add('axis1.position', 'gauge', { plot: 'motion' }, 240, { ...robot, unit: 'mm' })
  add('motor1.current', 'gauge', { plot: 'current' }, 6, {
    ...robot,
    ...{ unit: 'A', peaks: { every: 10, by: 3 } },
  })
  add('bus.voltage', 'gauge', { plot: 'bus' }, 48.2, { ...robot, unit: 'V', swing: 0.01 })
}

/** A fleet with a label that should not be one. */
export function inventFleet(add: AddSeries, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const user = (0x10000 + Math.floor(hash(i) * 0xeffff)).toString(16)
    add('session.events', 'counter', { user, shard: String(i % 8) }, 0.4 + hash(i + 9) * 12)
  }
}
