/** The URL of a place in an application: its levels are the path, what is shown of it the query. */
import { oneOf, to, write } from '../../../web/shell/route.ts'
import type { Address, Destination } from '../../../web/shell/view.ts'

/** Our own exact numbers, or those of the original Metrics UI. */
export const MODES = ['own', 'compatible'] as const
/** Orders of rows: by name and place in the pipeline, by what is slow, by p99, by messages. */
const ORDERS = ['place', 'slow', 'p99', 'rate'] as const

export type Mode = (typeof MODES)[number]
export type Order = (typeof ORDERS)[number]

/**
 * Place in an application that is shown; null is a level that is skipped, so that all of it is
 * added up. Nothing at all is the list of applications.
 */
export interface Place {
  readonly application: string | null
  readonly pipeline: string | null
  readonly worker: string | null
  readonly name: string | null
  /** Category that is measured; '' where the levels tell it. */
  readonly category: string
}

export const NO_PLACE: Place = {
  application: null,
  pipeline: null,
  worker: null,
  name: null,
  category: '',
}

export interface WallarooState {
  readonly place: Place
  readonly mode: Mode
  readonly order: Order
  /** A p99 above so many nanoseconds is slow; null where siblings are compared instead. */
  readonly aboveNs: number | null
  /** Another worker that the place's own is compared with, whatever its name; null for none. */
  readonly against: readonly [worker: string] | null
}

export const STANDARD: WallarooState = {
  place: NO_PLACE,
  mode: 'own',
  order: 'place',
  aboveNs: null,
  against: null,
}

/** `/wallaroo/application/pipeline/worker/name`, no longer than it has to be. */
export const WALLAROO: Address<WallarooState> = {
  path: 'wallaroo',
  standard: STANDARD,
  parse: (rest, query) => ({
    place: parsePlace(rest, query.get('category') ?? ''),
    mode: oneOf(query, 'mode', MODES, STANDARD.mode),
    order: oneOf(query, 'order', ORDERS, STANDARD.order),
    aboveNs: parseLatency(query.get('above') ?? ''),
    against: parseAgainst(query.get('against')),
  }),
  format({ place, mode, order, aboveNs, against }, query) {
    write(query, 'category', place.category)
    write(query, 'mode', mode, STANDARD.mode)
    write(query, 'order', order, STANDARD.order)
    if (aboveNs !== null) query.set('above', latencyText(aboveNs))
    if (against !== null && place.worker !== null) query.set('against', against[0])
    const parts = [place.application, place.pipeline, place.worker, place.name]
    const length = parts.findLastIndex((part) => part !== null) + 1
    return parts
      .slice(0, length)
      .map((part) => `/${encodeURIComponent(partText(part))}`)
      .join('')
  },
}

function parseAgainst(worker: string | null): WallarooState['against'] {
  return worker === null ? null : [worker]
}

/**
 * Writes a part: `-` is a skipped level; `~` stands before a name that a path could not carry or
 * tell apart.
 */
function partText(part: string | null): string {
  if (part === null) return '-'
  return /^(\.{0,2}|-|~.*)$/s.test(part) ? `~${part}` : part
}

function parsePlace(rest: string, category: string): Place {
  const parts = rest.slice(1).split('/')
  const read = (i: number): string | null => {
    const text = parts[i] ?? ''
    if (text === '' || text === '-') return null
    const part = decodeText(text)
    return part.startsWith('~') ? part.slice(1) : part
  }
  return { application: read(0), pipeline: read(1), worker: read(2), name: read(3), category }
}

/** Decodes a part; a hand-written path with a lone % is taken as it stands. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const LATENCY_UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['ns', 1],
] as const

/** Writes `10ms`; the largest unit that it is a whole number of. */
export function latencyText(ns: number): string {
  const [unit, size] = LATENCY_UNITS.find(([, each]) => ns % each === 0) ?? ['ns', 1]
  return `${ns / size}${unit}`
}

/** Reads a latency; null where it is not one of at least 1 ns. */
export function parseLatency(text: string): number | null {
  const [, digits, unit] = /^(\d{1,12})(s|ms|us|ns)$/.exec(text) ?? []
  const size = LATENCY_UNITS.find(([name]) => name === unit)?.[1] ?? 0
  const ns = Number(digits) * size
  return ns >= 1 && Number.isSafeInteger(ns) ? ns : null
}

/** Makes a link to a place, in the mode and order that are chosen. */
export function toPlace(place: Place): Destination {
  return to(WALLAROO, { place, against: null })
}

/** Makes a link to a place of one worker against the same place of another one. */
export function toCompared(place: Place, against: string): Destination {
  return to(WALLAROO, { place, mode: 'own', against: [against] })
}
