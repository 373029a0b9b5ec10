/** Vectors of Proxy-Wasm metrics: prefixed names, their length and their CRC-32. */

import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import type { Profile } from '../../../decoder.ts'
import { crc32, type Origin, readName } from '../../names.ts'
import { MetricStore } from '../../store/metric-store.ts'
import { idsOf } from './host.ts'

interface Named {
  readonly name?: string
  readonly crc32: number
}

const PROFILES: readonly Profile[] = ['document', 'peer']

export function checkName(testCase: VectorCase): undefined {
  const { accepted, prefixedBytes } = testCase
  for (const profile of PROFILES) {
    const expected = testCase[profile] as Named | undefined
    if (accepted === true && expected === undefined) continue // an origin of the other edition
    const prefixed = definedName(testCase, profile)
    same(`accepted, ${profile}`, prefixed !== undefined, accepted)
    if (prefixed === undefined || expected === undefined) continue
    same(`bytes, ${profile}`, prefixed.length, prefixedBytes)
    same(`CRC-32, ${profile}`, crc32(prefixed), expected.crc32)
    if (expected.name !== undefined) same('prefixed', text(prefixed), expected.name)
    const filters = testCase.filter === undefined ? [] : [testCase.filter as string]
    const { origin, filter, name } = readName(prefixed, filters)
    const read = { origin, filter: filter || undefined, name: text(name) }
    same('read back', read, {
      origin: testCase.origin,
      filter: testCase.filter,
      name: plainName(testCase.name),
    })
  }
}

/** The name under which a store of that edition has the metric; undefined if it is refused. */
function definedName(testCase: VectorCase, profile: Profile): Uint8Array | undefined {
  const { origin, filter, name, maxMetricNameLength } = testCase
  const store = MetricStore.create({
    profile,
    maxMetricNameLength: maxMetricNameLength as number,
  })
  try {
    const metric = store.define({
      origin: origin as Exclude<Origin, 'wa'>,
      name: plainName(name),
      type: 'counter',
      ...(filter === undefined ? {} : { filter: filter as string }),
    })
    return store.prefixedName(metric)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A name may be `{repeat, count}`. */
function plainName(name: unknown): string {
  if (typeof name === 'string') return name
  const { repeat, count } = name as { repeat: string; count: number }
  return repeat.repeat(count)
}

export async function checkCollision(testCase: VectorCase): Promise<undefined> {
  const { filter, names } = testCase as { filter: string; names: readonly string[] }
  for (const profile of PROFILES) {
    const store = MetricStore.create({ profile, host: 'nginx' })
    const worker = store.attach()
    const metrics = names.map((name) => store.define({ filter, name, type: 'counter' }))
    metrics.forEach((metric, i) => {
      const prefixed = store.prefixedName(metric)!
      same(`CRC-32, ${profile}`, crc32(prefixed), (testCase[profile] as Named).crc32)
      worker.increment(metric, i + 1)
    })
    const values = metrics.map((metric) => store.get(metric)?.value)
    same(`counts, ${profile}`, values, [1, 2])
    const first = (testCase[profile] as Named).crc32
    const ids = await idsOf({ host: 'nginx', profile, filter, names })
    same(`ids, ${profile}`, ids, [first, (first + 1) >>> 0])
    store.close()
  }
  return undefined
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}
