/**
 * Runs the vectors of Proxy-Wasm metrics: bins, estimates, names, JSON and exports here, what needs
 * a store or a host in the files beside.
 */

import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import {
  capacity,
  denseBinOf,
  denseBound,
  type EstimateKind,
  type EstimateProfile,
  estimate,
  slabBytes,
} from '../../../shm/index.ts'
import { createDecoder, encodeProxyWasm } from '../codec.ts'
import type { JsonDocument } from '../spec.ts'
import { checkExport } from './vectors/export.ts'
import { checkHostCalls, checkIds } from './vectors/host.ts'
import { checkCollision, checkName } from './vectors/names.ts'
import { checkReallocation } from './vectors/reallocation.ts'
import {
  checkCounters,
  checkCustom,
  checkGauges,
  checkHistogram,
  peerGauge,
} from './vectors/store.ts'

export const runners: Runners = {
  bound: checkBound,
  histograms: (testCase) => {
    checkHistogram(testCase)
    checkPeerReading(testCase)
    return undefined
  },
  custom: checkCustom,
  memory: checkMemory,
  slab: ({ bytes, allocated }) => {
    same('allocated', slabBytes(bytes as number), allocated)
    return undefined
  },
  capacity: checkCapacity,
  names: checkName,
  collisions: checkCollision,
  counters: checkCounters,
  gauges: checkGauges,
  gaugeClock: checkGaugeClock,
  hostcalls: checkHostCalls,
  ids: checkIds,
  reallocation: checkReallocation,
  export: checkExport,
}

function checkBound({ v, bound, index }: VectorCase): undefined {
  const bin = denseBinOf(BigInt(v as string))
  same('index', bin, index)
  same('bound', denseBound(bin), bound)
}

function checkMemory({ kind, prefixedNameBytes, workers, bins, ...expect }: VectorCase): undefined {
  for (const profile of ['document', 'peer'] as const) {
    const { documented, struct, allocated, printed } = estimate({
      profile,
      kind: kind as EstimateKind,
      prefixedNameBytes: prefixedNameBytes as number,
      workers: workers as number,
      ...(bins === undefined ? {} : { bins: bins as number }),
    })
    const of = (figure: unknown): unknown => (figure as Record<EstimateProfile, number>)?.[profile]
    same(`documented, ${profile}`, documented, of(expect.documented))
    same(`struct, ${profile}`, struct, of(expect.struct))
    same(`allocated, ${profile}`, allocated, of(expect.allocated))
    if (expect.printed !== undefined) same(`printed, ${profile}`, printed, of(expect.printed))
  }
}

/** The figures are those of both editions: their histograms' blocks are of one class. */
function checkCapacity(testCase: VectorCase): undefined {
  const { zoneBytes, kind, prefixedNameBytes, workers, bins, pages, fits } = testCase
  for (const profile of ['document', 'peer'] as const) {
    const found = capacity({
      profile,
      zoneBytes: zoneBytes as number,
      kind: kind as EstimateKind,
      prefixedNameBytes: prefixedNameBytes as number,
      workers: workers as number,
      ...(bins === undefined ? {} : { bins: bins as number }),
    })
    same(`capacity, ${profile}`, found, { fits, pages })
  }
}

type Pairs = readonly (readonly [bound: number, count: number])[]

/** The original's unsorted bins are read without losing an observation, and written sorted. */
function checkPeerReading({ peer }: VectorCase): void {
  if (peer === undefined) return
  const { bins, sum } = (peer as { consolidated: { bins: Pairs; sum: string } }).consolidated
  const value = bins.map(([ub, count]) => ({ ub, count }))
  const decoder = createDecoder({ profile: 'peer' })
  decoder.push(Buffer.from(JSON.stringify({ h: { type: 'histogram', value, sum } })))
  decoder.end()
  same('errors', decoder.errors, [])
  const [document] = decoder.messages as JsonDocument[]
  const read = document?.h
  if (read?.type !== 'histogram') throw new TypeError('no histogram')
  const total = (counts: readonly { count: unknown }[]): number =>
    counts.reduce((all, { count }) => all + Number(count), 0)
  same('total', total(read.value), total(value))
  same('sum', String(read.sum), sum)
  const bounds = read.value.map(({ ub }) => ub)
  same(
    'bounds',
    bounds,
    bounds.toSorted((a, b) => a - b),
  )
  same('documents written', encodeProxyWasm([document], { profile: 'peer' }).length, 1)
}

function checkGaugeClock({ slots, peer }: VectorCase): undefined {
  const read = (slots as [value: string, clock: number][]).map(([value, updatedMs]) => {
    return { value: BigInt(value), updatedMs }
  })
  same('value', String(peerGauge(read)), peer)
}
