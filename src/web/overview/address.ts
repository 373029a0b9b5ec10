/** The overview's part of the URL: filter, grouping, order and density. */
import { SORTS, type Sort } from '../../viewer/series/selection.ts'
import { oneOf, write } from '../shell/route.ts'
import type { Address } from '../shell/view.ts'

export const DENSITIES = ['charts', 'lines', 'table'] as const
export const KINDS = ['counter', 'gauge', 'histogram', 'summary'] as const

export type Density = (typeof DENSITIES)[number]
export type KindChoice = (typeof KINDS)[number] | ''

export interface OverviewState {
  readonly q: string
  readonly kind: KindChoice
  /** Name of a dialect. */
  readonly source: string
  /** `prefix`, `source`, `kind`, `none`, or `label:KEY`. */
  readonly group: string
  readonly sort: Sort
  readonly density: Density
}

const STANDARD: OverviewState = {
  q: '',
  kind: '',
  source: '',
  group: 'prefix',
  sort: 'unusual',
  density: 'charts',
}

export const OVERVIEW: Address<OverviewState> = {
  path: '',
  standard: STANDARD,
  parse: (_, query) => ({
    q: query.get('q') ?? '',
    kind: oneOf<KindChoice>(query, 'kind', KINDS, ''),
    source: query.get('source') ?? '',
    group: query.get('group') || STANDARD.group,
    sort: oneOf(query, 'sort', SORTS, STANDARD.sort),
    density: oneOf(query, 'density', DENSITIES, STANDARD.density),
  }),
  format({ kind, q, source, group, sort, density }, query) {
    write(query, 'kind', kind)
    write(query, 'q', q)
    write(query, 'source', source)
    write(query, 'group', group, STANDARD.group)
    write(query, 'sort', sort, STANDARD.sort)
    write(query, 'density', density, STANDARD.density)
    return ''
  },
}
