/** One series, reached from the overview and marked under its tab. */
import { OVERVIEW } from '../overview/address.ts'
import { to } from '../shell/route.ts'
import type { View } from '../shell/view.ts'
import { SERIES, type SeriesState } from './address.ts'
import { SeriesPage } from './series-page.tsx'

export const view: View<SeriesState> = {
  screen: {
    address: SERIES,
    title: ({ series }) => series,
    tabOf: OVERVIEW,
    up: () => to(OVERVIEW, { kind: '' }),
    component: SeriesPage,
  },
}
