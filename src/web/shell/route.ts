/**
 * The URL is the state: the path says what, the query says how, and only what differs from the
 * standard is written. `/series/checkout.latency{route=/pay}?window=300`
 */
import { PERS, type Per } from '../../viewer/format/rate.ts'
import { STANDARD_WINDOW, WINDOW_LEAST, WINDOW_MOST } from '../zoom/span.ts'
import type { Address, Destination, Route, Screen } from './view.ts'

/** Part of a screen that addresses are read by. */
type Addressed = Pick<Screen, 'address' | 'former'>

/** Route of a browser's location, and whether it has another address in this page. */
interface Visit {
  readonly route: Route
  /** True for an address of another program, and for a path behind `#`. */
  readonly isFormer: boolean
}

/** Reads where a browser is; a path behind `#` is one, as pages of other programs have it. */
export function parseLocation(
  screens: readonly Addressed[],
  { pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>,
): Visit {
  const isBehindHash = hash.startsWith('#/')
  const [, path = '', query = ''] = /^#([^?]*)(.*)$/s.exec(hash) ?? []
  const [at, how] = isBehindHash ? [path, query] : [pathname, search]
  const route = parseRoute(
    screens.map(({ address }) => address),
    at,
    how,
  )
  const [, first, rest = ''] = /^\/([^/]+)(.*)$/s.exec(at) ?? []
  const found = screens.find(({ former }) => former !== undefined && former.path === first)
  if (found === undefined) return { route, isFormer: isBehindHash }
  const { address, former } = found
  return { route: { ...route, address, state: former!.parse(rest) }, isFormer: true }
}

/** @param addresses of all views; the first one with the path '' is what all else falls back to */
function parseRoute(addresses: readonly Address[], pathname: string, search: string): Route {
  const query = new URLSearchParams(search)
  const shared = {
    window: parseWindow(query.get('window')),
    at: parseInstant(query.get('at')),
    per: oneOf<Per>(query, 'per', PERS, ''),
    tables: query.get('tables') === '1',
  }
  const [, path = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(pathname) ?? []
  const address = path === '' ? undefined : addresses.find((each) => each.path === path)
  const state = address?.parse(rest, query)
  if (address !== undefined && state !== undefined) {
    const time = address.hasOwnTime ? { window: STANDARD_WINDOW, at: null } : {}
    return { address, state, ...shared, ...time }
  }
  const start = startOf(addresses)
  return { address: start, state: start.parse('', query) ?? start.standard, ...shared }
}

export function startOf(addresses: readonly Address[]): Address {
  const start = addresses.find(({ path }) => path === '')
  if (start === undefined) throw new Error('no view has the path of the start page')
  return start
}

export function formatRoute({ address, state, window, at, per, tables }: Route): string {
  const query = new URLSearchParams()
  if (!address.hasOwnTime) {
    if (window !== STANDARD_WINDOW) query.set('window', String(window))
    if (at !== null) query.set('at', instantText(at))
  }
  write(query, 'per', per)
  write(query, 'tables', tables ? '1' : '')
  const rest = address.format(state, query)
  const text = query.toString()
  return `/${address.path}${rest}${text === '' ? '' : `?${text}`}`
}

/** Gives the path alone: another one is another place, whose beginning is shown first. */
export function pathOf({ address, state }: Route): string {
  return address.path + address.format(state, new URLSearchParams())
}

/** Leads to a view. @param change what is to differ from the state in which it was left */
export function to<State extends object>(
  address: Address<State>,
  change: Partial<State> = {},
): Destination {
  return { address, change }
}

/** Tells where the tab of a view leads, and its key. */
export function homeOf({ address, home }: Screen): Destination {
  return to(address, home)
}

/** Writes a value into a query where it differs from the standard. */
export function write(query: URLSearchParams, name: string, value: string, standard = ''): void {
  if (value !== standard) query.set(name, value)
}

/** Reads one of a closed set of words in a query; the standard for all else. */
export function oneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  all: readonly T[],
  standard: T,
): T {
  return all.find((each) => each === query.get(name)) ?? standard
}

function parseWindow(text: string | null): number {
  const seconds = Math.round(Number(text))
  if (!(seconds > 0)) return STANDARD_WINDOW
  return Math.min(WINDOW_MOST, Math.max(WINDOW_LEAST, seconds))
}

function instantText(second: number): string {
  return new Date(second * 1000).toISOString().replace('.000', '')
}

function parseInstant(text: string | null): number | null {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) || ms <= 0 ? null : Math.round(ms / 1000)
}
