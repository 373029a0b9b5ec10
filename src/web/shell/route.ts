/**
 * The URL is the state: the path says what, the query says how, and only what differs from the
 * standard is written. `/series/checkout.latency{route=/pay}?window=300`
 */
export const WINDOWS = [10, 30, 60, 120, 300, 600] as const
export const DENSITIES = ['charts', 'lines', 'table'] as const
export const SORTS = ['unusual', 'name', 'rate', 'change', 'p99'] as const
export const KINDS = ['counter', 'gauge', 'histogram', 'summary'] as const
/** Of Wallaroo's views: our own exact numbers, or those of the original Metrics UI. */
export const MODES = ['own', 'compatible'] as const
/** Of Wallaroo's rows: by name and place in the pipeline, by what is slow, by p99, by messages. */
export const ORDERS = ['place', 'slow', 'p99', 'rate'] as const

export type Density = (typeof DENSITIES)[number]
export type Sort = (typeof SORTS)[number]
export type Mode = (typeof MODES)[number]
export type Order = (typeof ORDERS)[number]
export type KindChoice = (typeof KINDS)[number] | ''
export type View = 'overview' | 'series' | 'sources' | 'wallaroo'

/**
 * What of a Wallaroo application is shown; null is a level that is skipped, so that all of it is
 * added up. Nothing at all is the list of applications.
 */
export interface Place {
  readonly application: string | null
  readonly pipeline: string | null
  readonly worker: string | null
  readonly name: string | null
  /** What is measured; '' where the levels tell it. */
  readonly category: string
}

export interface Route {
  readonly view: View
  /** `name{key=value,…}` in the view of one series. */
  readonly series: string
  /** In the views of Wallaroo. */
  readonly place: Place
  readonly window: number
  /** Unix second at which the picture is held; null while it moves. */
  readonly at: number | null
  readonly q: string
  /** In the overview a filter, in the view of one series what tells namesakes apart. */
  readonly kind: KindChoice
  /** Type word of the dialect, where kind does not tell namesakes apart. */
  readonly type: string
  /** Name of a dialect. */
  readonly source: string
  /** `prefix`, `source`, `kind`, `none`, or `label:KEY`. */
  readonly group: string
  readonly sort: Sort
  readonly density: Density
  /** In the views of Wallaroo, as what follows. */
  readonly mode: Mode
  readonly order: Order
  /** A p99 above so many nanoseconds is slow; null where siblings are compared instead. */
  readonly aboveNs: number | null
}

export const NO_PLACE: Place = {
  application: null,
  pipeline: null,
  worker: null,
  name: null,
  category: '',
}

export const STANDARD: Route = {
  view: 'overview',
  series: '',
  place: NO_PLACE,
  window: 60,
  at: null,
  q: '',
  kind: '',
  type: '',
  source: '',
  group: 'prefix',
  sort: 'unusual',
  density: 'charts',
  mode: 'own',
  order: 'place',
  aboveNs: null,
}

const SERIES_PATH = '/series/'
const WALLAROO_PATH = '/wallaroo'
const WINDOW_LEAST = 10
const WINDOW_MOST = 600

export function parseRoute(pathname: string, search: string): Route {
  const query = new URLSearchParams(search)
  const read = (name: string): string => query.get(name) ?? ''
  const oneOf = <T extends string>(name: string, all: readonly T[], standard: T): T =>
    all.find((each) => each === read(name)) ?? standard
  const view = viewOf(pathname)
  return {
    view,
    series: view === 'series' ? decode(pathname.slice(SERIES_PATH.length)) : '',
    place: view === 'wallaroo' ? parsePlace(pathname, read('category')) : NO_PLACE,
    window: parseWindow(read('window')),
    at: parseInstant(read('at')),
    q: read('q'),
    kind: oneOf<KindChoice>('kind', KINDS, ''),
    type: read('type'),
    source: read('source'),
    group: read('group') || STANDARD.group,
    sort: oneOf('sort', SORTS, STANDARD.sort),
    density: oneOf('density', DENSITIES, STANDARD.density),
    mode: oneOf('mode', MODES, STANDARD.mode),
    order: oneOf('order', ORDERS, STANDARD.order),
    aboveNs: parseLatency(read('above')),
  }
}

function viewOf(pathname: string): View {
  if (pathname.startsWith(SERIES_PATH) && pathname.length > SERIES_PATH.length) return 'series'
  if (pathname === WALLAROO_PATH || pathname.startsWith(`${WALLAROO_PATH}/`)) return 'wallaroo'
  return pathname === '/sources' ? 'sources' : 'overview'
}

export function formatRoute(route: Route): string {
  const query = new URLSearchParams()
  const write = (name: string, value: string, standard: string): void => {
    if (value !== standard) query.set(name, value)
  }
  write('window', String(route.window), String(STANDARD.window))
  if (route.at !== null) query.set('at', instantText(route.at))
  if (route.view === 'wallaroo') {
    write('category', route.place.category, NO_PLACE.category)
    write('mode', route.mode, STANDARD.mode)
    write('order', route.order, STANDARD.order)
    if (route.aboveNs !== null) query.set('above', latencyText(route.aboveNs))
  }
  if (route.view === 'overview' || route.view === 'series') {
    write('kind', route.kind, STANDARD.kind)
    write('type', route.type, STANDARD.type)
  }
  if (route.view === 'overview') {
    write('q', route.q, STANDARD.q)
    write('source', route.source, STANDARD.source)
    write('group', route.group, STANDARD.group)
    write('sort', route.sort, STANDARD.sort)
    write('density', route.density, STANDARD.density)
  }
  const text = query.toString()
  return pathOf(route) + (text === '' ? '' : `?${text}`)
}

export function pathOf({ view, series, place }: Route): string {
  if (view === 'sources') return '/sources'
  if (view === 'wallaroo') return placePath(place)
  return view === 'series' ? SERIES_PATH + encode(series) : '/'
}

/** `/wallaroo/application/pipeline/worker/name`, no longer than it has to be. */
function placePath({ application, pipeline, worker, name }: Place): string {
  const parts = [application, pipeline, worker, name]
  const length = parts.findLastIndex((part) => part !== null) + 1
  const texts = parts.slice(0, length).map((part) => encodeURIComponent(partText(part)))
  return [WALLAROO_PATH, ...texts].join('/')
}

/** `-` is a skipped level; `~` stands before a name that a path could not carry or tell apart. */
function partText(part: string | null): string {
  if (part === null) return '-'
  return /^(\.{0,2}|-|~.*)$/s.test(part) ? `~${part}` : part
}

function parsePlace(pathname: string, category: string): Place {
  const parts = pathname.slice(WALLAROO_PATH.length + 1).split('/')
  const read = (i: number): string | null => {
    const text = parts[i] ?? ''
    if (text === '' || text === '-') return null
    const part = decodeText(text)
    return part.startsWith('~') ? part.slice(1) : part
  }
  return { application: read(0), pipeline: read(1), worker: read(2), name: read(3), category }
}

/** A hand-written path with a lone % is taken as it stands. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Readable where a path allows it. `.` and `..` alone are parts that a browser would resolve: they
 * are written as `%2E` and `%2E%2E`; a part that reads so by itself gets one more `25`.
 */
function encode(series: string): string {
  const parts = series.split('/').map((part) => {
    if (/^\.{1,2}$/.test(part)) return part.replaceAll('.', '%2E')
    return /^(%(25)*2E){1,2}$/.test(part) ? part.replaceAll('%', '%25') : part
  })
  return encodeURIComponent(parts.join('/')).replace(/%(7B|7D|3D|2C|2F|3A|40|5B|5D)/g, (code) =>
    decodeURIComponent(code),
  )
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path).split('/').map(decodePart).join('/')
  } catch {
    // A hand-written path with a lone % names the series as it stands.
    return path
  }
}

function decodePart(part: string): string {
  if (/^(%2E){1,2}$/.test(part)) return part.replaceAll('%2E', '.')
  return /^(%(25)+2E){1,2}$/.test(part) ? part.replaceAll('%25', '%') : part
}

function parseWindow(text: string): number {
  const seconds = Math.round(Number(text))
  if (!(seconds > 0)) return STANDARD.window
  return Math.min(WINDOW_MOST, Math.max(WINDOW_LEAST, seconds))
}

function instantText(second: number): string {
  return new Date(second * 1000).toISOString().replace('.000', '')
}

function parseInstant(text: string): number | null {
  if (text === '') return null
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms <= 0 ? null : Math.round(ms / 1000)
}

const LATENCY_UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['ns', 1],
] as const

/** `10ms`; the largest unit that it is a whole number of. */
export function latencyText(ns: number): string {
  const [unit, size] = LATENCY_UNITS.find(([, each]) => ns % each === 0) ?? ['ns', 1]
  return `${ns / size}${unit}`
}

/** Null where it is not a latency of at least 1 ns. */
export function parseLatency(text: string): number | null {
  const [, digits, unit] = /^(\d{1,12})(s|ms|us|ns)$/.exec(text) ?? []
  const size = LATENCY_UNITS.find(([name]) => name === unit)?.[1] ?? 0
  const ns = Number(digits) * size
  return ns >= 1 && Number.isSafeInteger(ns) ? ns : null
}
