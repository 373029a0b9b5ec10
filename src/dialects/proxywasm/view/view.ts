/** Filters on the Sources page. Their code comes when that is first shown and there are some. */
import './proxywasm.css'
import { h, type JSX } from 'preact'
import type { SourcesAnswer } from '../../../http/api.ts'
import { lazy, PartNotLoaded } from '../../../web/shell/lazy.tsx'
import type { View } from '../../../web/shell/view.ts'
import type { FiltersAnswer } from '../http/api.ts'

const Filters = lazy(async () => (await import('./filters.tsx')).Filters, PartNotLoaded)

function FiltersIfAny({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  const { filters = [] }: FiltersAnswer = sources
  return filters.length === 0 ? null : h(Filters, { sources })
}

export const view: View = { dialect: 'proxywasm', sourcesPanel: FiltersIfAny }
