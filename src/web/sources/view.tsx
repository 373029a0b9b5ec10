/** Sources and errors: its tab counts the messages that could not be read. */
import { errorCount } from '../format/status.ts'
import { OVERVIEW } from '../overview/address.ts'
import { to } from '../shell/route.ts'
import type { View } from '../shell/view.ts'
import { SOURCES } from './address.ts'
import { SourcesPage } from './sources-page.tsx'

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
