/** All views, in the order of their tabs. Those of dialects are found by the bundler. */
import { view as overview } from './overview/view.tsx'
import { view as series } from './series/view.tsx'
import type { View } from './shell/view.ts'
import { view as sources } from './sources/view.tsx'

const found = import.meta.glob<{ readonly view: View }>('../dialects/*/view/view.{ts,tsx}', {
  eager: true,
})

export const VIEWS: readonly View[] = [
  overview,
  series,
  ...Object.values(found).map(({ view }) => view),
  sources,
]
