/** The title of a series: icon of its kind, quiet prefix, bold last part; a link to it. */
import type { JSX } from 'preact'
import { Icon } from '../shell/icon.tsx'
import { type Page, usePage } from '../shell/page.ts'
import { Link, Name } from '../shell/parts.tsx'
import type { Route } from '../shell/route.ts'
import type { Entry } from '../store/catalogue.ts'

/** Where one series is shown; kind and type only where the name alone says too little. */
function seriesRoute({ store }: Page, entry: Entry): Partial<Route> {
  const { kind, type = '' } = entry.info
  const route = { view: 'series', series: entry.text } as const
  if (!store.catalogue.isAmbiguous(entry.text)) return { ...route, kind: '', type: '' }
  return { ...route, kind, type }
}

/** Position after the last separator of a name. */
function lastPart(name: string): number {
  const end = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1
  return end < name.length ? end : 0
}

interface SeriesLinkProps {
  readonly entry: Entry
  readonly withLabels?: boolean
}

export function SeriesLink({ entry, withLabels }: SeriesLinkProps): JSX.Element {
  const page = usePage()
  const { name, kind } = entry.info
  const split = lastPart(name)
  return (
    <Link to={seriesRoute(page, entry)} class="title" title={entry.text}>
      <Icon name={kind} title={kind} />
      <span class="cut">
        <span class="prefix">{name.slice(0, split)}</span>
        <b>
          <Name text={name.slice(split)} />
        </b>
        {withLabels && entry.labels !== '' && <span class="muted"> {entry.labels}</span>}
      </span>
    </Link>
  )
}
