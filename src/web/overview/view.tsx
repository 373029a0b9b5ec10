/** The overview: the start page, to which all else falls back. */

import { to } from '../shell/route.ts'
import type { View } from '../shell/view.ts'
import { OVERVIEW, type OverviewState } from './address.ts'
import { Overview } from './overview.tsx'

export const view: View<OverviewState> = {
  screen: {
    address: OVERVIEW,
    title: () => 'Overview',
    tab: 'Overview',
    key: 'o',
    up: () => to(OVERVIEW, { kind: '' }),
    component: Overview,
  },
}
