/**
 * Targets of requests for a session (§2, §4.1, §4.8): parameters in any order, repeated, unknown,
 * well and badly encoded; lists of counters and intervals of which the grammar knows the meaning.
 */
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { shuffled, text } from '../../../../../test/fuzz/engine/values.ts'
import { PATH } from '../../spec.ts'

const encoder = new TextEncoder()
const INTERVALS = ['1', ' 0002 ', '60', '4294967295', '+5', '0', '-0', '\t7\r\n']
const NO_INTERVALS = [
  '4294967296',
  '1.5',
  '1e1',
  '1,000',
  '-1',
  'NaN',
  '',
  '٣',
  '0x1',
  '1'.repeat(400),
]
const BROKEN = ['%', '%4', '%zz', '%ff', '%00', '&&', '=', '?', '#x', '+', '%F0%9F']

export interface MeantQuery {
  readonly bytes: Uint8Array
  /** Undefined where a fault leaves the meaning open. */
  readonly query: object | undefined
}

export function makeQuery(random: Random): MeantQuery {
  const isMeant = !random.isOnceIn(3)
  const parts: string[] = []
  const query: Record<string, unknown> = { profile: 'document', deliver: 'own' }
  const say = (name: string, value: string): void => {
    parts.push(`${name}=${encoded(random, value)}`)
  }
  const interval = isMeant ? random.pick(INTERVALS) : random.pick(NO_INTERVALS)
  say('EventCounterIntervalSec', interval)
  const seconds = Number(interval.trim())
  query.interval = seconds === 0 ? { kind: 'stop' } : { kind: 'run', intervalMs: seconds * 1000 }
  if (random.isOnceIn(2)) {
    const deliver = random.pick(['own', 'all'])
    say('deliver', deliver)
    query.deliver = deliver
  }
  if (!random.isOnceIn(3)) {
    const [list, filter] = counters(random)
    say('counters', isMeant ? list : damaged(random, list))
    query.filter = filter
  }
  if (!isMeant) say(random.pick(['profile', 'deliver', 'counters']), text(random))
  if (random.isOnceIn(4)) parts.push(`${random.pick(['x', 'Counters', 'PROFILE'])}=1`)
  const ordered = shuffled(random, parts)
  // of a repeated parameter the first one counts
  if (random.isOnceIn(6)) ordered.push(random.pick(['EventCounterIntervalSec=9', 'counters=Z']))
  if (!isMeant && random.isOnceIn(2)) ordered.splice(random.below(3), 0, random.pick(BROKEN))
  const isOpen = !isMeant || (query.filter === undefined && ordered.at(-1) === 'counters=Z')
  return {
    bytes: encoder.encode(`${PATH}?${ordered.join('&')}`),
    query: isOpen ? undefined : query,
  }
}

function encoded(random: Random, value: string): string {
  if (!random.isOnceIn(4)) return encodeURIComponent(value.toWellFormed())
  return [...encoder.encode(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** A list of counters, and the filter that it is: occurrences of one provider united. */
function counters(random: Random): [string, object[]] {
  const groups = new Map<string, Set<string> | undefined>()
  const texts: string[] = []
  for (let left = 1 + random.below(4); left > 0; left--) {
    const provider = name(random) || 'P'
    const names = Array.from({ length: random.below(4) }, () => name(random))
    const listed = names.filter((each) => each !== '')
    const hasList = names.length > 0 || random.isOnceIn(4)
    texts.push(`${random.pick(['', ' ', '  '])}${provider}${hasList ? `[${names.join(',')}]` : ''}`)
    const known = groups.get(provider)
    const isAll = listed.length === 0 || (groups.has(provider) && known === undefined)
    groups.set(provider, isAll ? undefined : new Set([...(known ?? []), ...listed]))
    if (!isAll && known === undefined) repeats.set(groups.get(provider)!, listed)
  }
  const filter = [...groups].map(([provider, names]) => {
    const listed = names === undefined ? [] : (exactList(names) ?? [...names])
    return { provider, counters: listed, type: 'All' }
  })
  return [texts.join(','), filter]
}

/** Lists of providers that occur once stay as they are, names that come again included. */
const repeats = new WeakMap<Set<string>, readonly string[]>()

function exactList(names: Set<string>): readonly string[] | undefined {
  return repeats.get(names)
}

function name(random: Random): string {
  return text(random, 40)
    .replace(/[[\],]/g, '_')
    .replace(/^ +/, '')
}

function damaged(random: Random, list: string): string {
  const at = random.below(list.length + 1)
  const way = random.below(4)
  if (way === 0) return list.slice(0, at)
  if (way === 1)
    return list.slice(0, at) + random.pick(['[', ']', ',', ' ', '[[', '],']) + list.slice(at)
  if (way === 2) return `EventCounters\\${list},${list}`
  return `${list},${Array.from({ length: 300 }, (_, i) => `p${i}`).join(',')}`
}
