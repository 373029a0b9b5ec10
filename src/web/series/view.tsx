/** The view of one series. Its code comes when it is first shown, or before. */
import { OVERVIEW } from '../overview/address.ts'
import { lazy, ViewNotLoaded } from '../shell/lazy.tsx'
import { to } from '../shell/route.ts'
import type { View } from '../shell/view.ts'
import { SERIES, type SeriesState } from './address.ts'

export const SeriesPage = lazy(
  async () => (await import('./series-page.tsx')).SeriesPage,
  ViewNotLoaded,
)

export const view: View<SeriesState> = {
  screen: {
    address: SERIES,
    title: ({ series }) => series,
    tabOf: OVERVIEW,
    up: () => to(OVERVIEW, { kind: '' }),
    component: SeriesPage,
  },
}
