/** One series' part of the URL: its name, and what tells namesakes apart. */
import { KINDS, type KindChoice } from '../overview/address.ts'
import { oneOf, write } from '../shell/route.ts'
import type { Address } from '../shell/view.ts'
import { WINDOW_MOST } from '../zoom/span.ts'

export interface SeriesState {
  /** `name{key=value,…}` */
  readonly series: string
  readonly kind: KindChoice
  /** Type word of the dialect, where kind does not tell namesakes apart. */
  readonly type: string
  /** Seconds before what is shown that it is compared with; 0 for nothing. */
  readonly before: number
}

export const SERIES: Address<SeriesState> = {
  path: 'series',
  standard: { series: '', kind: '', type: '', before: 0 },
  parse(rest, query) {
    if (rest.length <= 1) return undefined
    const kind = oneOf<KindChoice>(query, 'kind', KINDS, '')
    const before = parseBefore(query.get('before'))
    return { series: decode(rest.slice(1)), kind, type: query.get('type') ?? '', before }
  },
  format({ series, kind, type, before }, query) {
    write(query, 'kind', kind)
    write(query, 'type', type)
    write(query, 'before', String(before), '0')
    return `/${encode(series)}`
  },
}

/** Farthest window that is compared with, seconds: as far back as any. */
const BEFORE_MOST = WINDOW_MOST

function parseBefore(text: string | null): number {
  const seconds = Math.round(Number(text))
  return seconds > 0 ? Math.min(BEFORE_MOST, seconds) : 0
}

/**
 * Encodes a name, readably where a path allows it. `.` and `..` alone are parts that a browser
 * would resolve: they are written as `%2E` and `%2E%2E`; a part that reads so by itself gets one
 * more `25`.
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
