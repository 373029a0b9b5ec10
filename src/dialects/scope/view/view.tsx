/**
 * The scope board at `/scope`: lines of any series, sample by sample, as on an oscilloscope. Its
 * code comes when it is first shown.
 */
import './scope.css'
import { lazy, ViewNotLoaded } from '../../../web/shell/lazy.tsx'
import { to } from '../../../web/shell/route.ts'
import type { View } from '../../../web/shell/view.ts'
import { DIALECT, KEYS, SCOPE, type ScopeState, STANDARD } from './address.ts'

const ScopePage = lazy(async () => (await import('./scope-page.tsx')).ScopePage, ViewNotLoaded)

export const view: View<ScopeState> = {
  dialect: DIALECT,
  seriesLink: ({ text }) => ({
    words: 'Sample by sample, on the scope',
    to: to(SCOPE, { ...STANDARD, series: [text] }),
  }),
  screen: {
    address: SCOPE,
    title: ({ sources, series }) => [...sources, ...series][0] ?? 'Scope',
    tab: 'Scope',
    keys: KEYS,
    key: 's',
    component: ScopePage,
  },
}
