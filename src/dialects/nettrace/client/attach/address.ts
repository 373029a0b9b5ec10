/**
 * Which processes a hub reads from: `dotnet://PID`, `dotnet://NAME` with `*` in it, or
 * `dotnet+listen:///PATH` for those that dial in; what is asked of them stands behind `?`.
 */
import type { Target } from '../../../endpoints.ts'
import { INTERVAL_MS_MAX } from '../../options.ts'
import { parseProviders, splitProviders } from '../counters/providers.ts'

/** Choice of processes. */
export type ProcessChoice =
  | { readonly kind: 'pid'; readonly pid: number }
  | { readonly kind: 'name'; readonly pattern: string }
  | { readonly kind: 'port'; readonly path: string }

/** Request that stands in an address; what it leaves out is as the options have it. */
export interface AskedOfAddress {
  readonly providers?: readonly string[]
  readonly intervalMs?: number
  readonly intervals?: 'own' | 'any'
  readonly maxTimeSeries?: number
  readonly maxHistograms?: number
}

export interface ProcessAddress {
  readonly choice: ProcessChoice
  /** Address without what is asked, as a name for people. */
  readonly name: string
  readonly asked: AskedOfAddress
}

export const SCHEME = 'dotnet'
const LISTEN = `${SCHEME}+listen`
const FORMS = `want ${SCHEME}://PID, ${SCHEME}://NAME, ${SCHEME}://* or ${LISTEN}:///PATH`
export const ADDRESS_FORM = 'dotnet://NAME[?QUERY]'
/** Largest id of a process that a system has, and more. */
const PID_MAX = 2 ** 31 - 1
/** Characters of a socket's path. */
const PATH_LENGTH_MAX = 107

/** @throws {TypeError} for an address that makes no sense */
export function parseProcessAddress(text: string): ProcessAddress {
  const match = /^(dotnet(?:\+listen)?):\/\/([^?#]*)(?:\?([^#]*))?$/s.exec(text)
  const [, scheme, place = '', query = ''] = match ?? []
  if (scheme === undefined) throw new TypeError(FORMS)
  const asked = parseAsked(query)
  const name = decoded(place)
  if (scheme === LISTEN) return { choice: portChoice(name), name: `${LISTEN}://${name}`, asked }
  const plain = name.replace(/\/$/, '')
  if (plain === '' || /[/\0]/.test(plain)) throw new TypeError(FORMS)
  return { choice: processChoice(plain), name: `${SCHEME}://${plain}`, asked }
}

/** Makes the target of an address, for the house. */
export function processTarget(url: string): Target {
  const { name } = parseProcessAddress(url)
  return { transport: 'tcp', host: name.slice(name.indexOf('://') + 3), port: 0, url }
}

/** Writes the address of a port that runtimes dial. */
export function portAddress(path: string): string {
  return `${LISTEN}://${encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')}`
}

function portChoice(path: string): ProcessChoice {
  if (!path.startsWith('/')) throw new TypeError(`want a whole path, as ${LISTEN}:///run/app.sock`)
  if (Buffer.byteLength(path) > PATH_LENGTH_MAX) {
    throw new TypeError(`path of ${Buffer.byteLength(path)} bytes, limit ${PATH_LENGTH_MAX}`)
  }
  return { kind: 'port', path }
}

function processChoice(name: string): ProcessChoice {
  if (!/^\d+$/.test(name)) return { kind: 'name', pattern: name }
  const pid = Number(name)
  if (pid >= 1 && pid <= PID_MAX) return { kind: 'pid', pid }
  throw new TypeError(`process ${name}, want 1 to ${PID_MAX}`)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError(FORMS)
  }
}

const ASKED_NAMES = ['providers', 'interval', 'intervals', 'maxTimeSeries', 'maxHistograms']

function parseAsked(query: string): AskedOfAddress {
  const given = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!ASKED_NAMES.includes(name)) {
      throw new TypeError(`unknown option ${name}: there are ${ASKED_NAMES.join(', ')}`)
    }
    if (given.has(name)) throw new TypeError(`${name} is there twice`)
    given.set(name, value)
  }
  const asked = {
    providers: read(given, 'providers', providersOf),
    intervalMs: read(given, 'interval', intervalOf),
    intervals: read(given, 'intervals', intervalsOf),
    maxTimeSeries: read(given, 'maxTimeSeries', wholeOf),
    maxHistograms: read(given, 'maxHistograms', wholeOf),
  }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

function read<T>(
  given: ReadonlyMap<string, string>,
  name: string,
  parse: (text: string, name: string) => T,
): T | undefined {
  const text = given.get(name)
  return text === undefined ? undefined : parse(text, name)
}

function providersOf(text: string): readonly string[] {
  const providers = splitProviders(text)
  if (providers.length === 0) throw new TypeError('providers is empty, want NAME,NAME[COUNTER]')
  parseProviders(providers)
  return providers
}

/** Reads `1`, `0.5`, `500ms` or `2s` as milliseconds; a number alone is seconds, as in .NET. */
function intervalOf(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?|\.\d+)(ms|s)?$/.exec(text) ?? []
  const ms = Number((Number(digits) * (unit === 'ms' ? 1 : 1000)).toPrecision(12))
  if (Number.isInteger(ms) && ms >= 1 && ms <= INTERVAL_MS_MAX) return ms
  throw new TypeError(`interval ${JSON.stringify(text)}, want a time as 1s or 500ms`)
}

function intervalsOf(text: string): 'own' | 'any' {
  if (text === 'own' || text === 'any') return text
  throw new TypeError(`intervals ${JSON.stringify(text)}, want own or any`)
}

function wholeOf(text: string, name: string): number {
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number > 0) return number
  throw new TypeError(`${name} ${JSON.stringify(text)}, want a whole number of 1 or more`)
}
