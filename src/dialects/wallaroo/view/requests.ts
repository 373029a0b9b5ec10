/** Addresses of the API's answers about Wallaroo applications, and places of its rows. */
import type { ViewKey } from '../http/api.ts'
import { NO_PLACE, type Place } from './address.ts'
import { categoryOf } from './place.ts'

/** Seconds that are shown, and the second they end at; null while the picture moves. */
interface Span {
  readonly window: number
  readonly at: number | null
}

/** Shortest window of a view, and the longest, in seconds, as the API has them. */
const WINDOW_LEAST_S = 10
export const WINDOW_MOST_S = 3600

export const APPLICATIONS = '/wallaroo/applications'

/**
 * Makes the address of an application; its numbers are those of the last five minutes, whatever the
 * window of the page is.
 */
export function applicationAddress(application: string): string {
  return `/wallaroo/application?${new URLSearchParams({ application })}`
}

export function viewAddress(place: Place, { window, at }: Span): string {
  const query = new URLSearchParams({
    application: place.application ?? '',
    category: categoryOf(place),
  })
  for (const label of ['pipeline', 'worker', 'name'] as const) {
    const value = place[label]
    if (value !== null) query.set(label, value)
  }
  query.set('seconds', String(Math.min(WINDOW_MOST_S, Math.max(WINDOW_LEAST_S, window))))
  if (at !== null) query.set('to', String(at * 1000))
  return `/wallaroo/view?${query}`
}

export function connectionsAddress(application: string): string {
  return `/wallaroo/connections?${new URLSearchParams({ application })}`
}

/** Tells where a row leads. */
export function placeOfKey(application: string, key: ViewKey): Place {
  const place: Place = {
    ...NO_PLACE,
    application,
    pipeline: key.pipeline ?? null,
    worker: key.worker ?? null,
    name: key.name ?? null,
  }
  const isImplied = categoryOf(place) === key.category
  return isImplied ? place : { ...place, category: key.category }
}
