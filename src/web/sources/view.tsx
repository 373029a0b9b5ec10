/** The view of sources and errors. Its code comes when it is first shown. */
import { errorCount } from '../../viewer/format/status.ts'
import { OVERVIEW } from '../overview/address.ts'
import { lazy, ViewNotLoaded } from '../shell/lazy.tsx'
import { to } from '../shell/route.ts'
import type { View } from '../shell/view.ts'
import { SOURCES } from './address.ts'

const SourcesPage = lazy(
  async () => (await import('./sources-page.tsx')).SourcesPage,
  ViewNotLoaded,
)

export const view: View = {
  screen: {
    address: SOURCES,
    title: () => 'Sources and errors',
    tab: 'Sources',
    troubles: errorCount,
    key: 'e',
    up: () => to(OVERVIEW, { kind: '' }),
    component: SourcesPage,
  },
}
