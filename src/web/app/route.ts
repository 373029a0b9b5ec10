/**
 * The URL is the state: the path says what, the query says how, and only what differs from the
 * standard is written. `/series/checkout.latency{route=/pay}?window=300`
 */
export const WINDOWS = [10, 30, 60, 120, 300, 600] as const
export const DENSITIES = ['charts', 'lines', 'table'] as const
export const SORTS = ['unusual', 'name', 'rate', 'change', 'p99'] as const
export const KINDS = ['counter', 'gauge', 'histogram', 'summary'] as const

export type Density = (typeof DENSITIES)[number]
export type Sort = (typeof SORTS)[number]
export type KindChoice = (typeof KINDS)[number] | ''
export type View = 'overview' | 'series' | 'sources'

export interface Route {
  readonly view: View
  /** `name{key=value,…}` in the view of one series. */
  readonly series: string
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
}

export const STANDARD: Route = {
  view: 'overview',
  series: '',
  window: 60,
  at: null,
  q: '',
  kind: '',
  type: '',
  source: '',
  group: 'prefix',
  sort: 'unusual',
  density: 'charts',
}

const SERIES_PATH = '/series/'
const WINDOW_LEAST = 10
const WINDOW_MOST = 600

export function parseRoute(pathname: string, search: string): Route {
  const query = new URLSearchParams(search)
  const read = (name: string): string => query.get(name) ?? ''
  const oneOf = <T extends string>(name: string, all: readonly T[], standard: T): T =>
    all.find((each) => each === read(name)) ?? standard
  const isSeries = pathname.startsWith(SERIES_PATH) && pathname.length > SERIES_PATH.length
  return {
    view: isSeries ? 'series' : pathname === '/sources' ? 'sources' : 'overview',
    series: isSeries ? decode(pathname.slice(SERIES_PATH.length)) : '',
    window: parseWindow(read('window')),
    at: parseInstant(read('at')),
    q: read('q'),
    kind: oneOf<KindChoice>('kind', KINDS, ''),
    type: read('type'),
    source: read('source'),
    group: read('group') || STANDARD.group,
    sort: oneOf('sort', SORTS, STANDARD.sort),
    density: oneOf('density', DENSITIES, STANDARD.density),
  }
}

export function formatRoute(route: Route): string {
  const query = new URLSearchParams()
  const write = (name: string, value: string, standard: string): void => {
    if (value !== standard) query.set(name, value)
  }
  write('window', String(route.window), String(STANDARD.window))
  if (route.at !== null) query.set('at', instantText(route.at))
  if (route.view !== 'sources') {
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

function pathOf({ view, series }: Route): string {
  if (view === 'sources') return '/sources'
  return view === 'series' ? SERIES_PATH + encode(series) : '/'
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
