/** Asks for more of one series than the shared window shows. */
import { useEffect } from 'preact/hooks'
import { usePage, useTopics } from '../shell/page.ts'
import type { Entry } from '../store/catalogue.ts'

export function useLongWindow(entry: Entry, seconds: number): void {
  const { store } = usePage()
  useTopics('picture')
  const { pausedAt } = store
  useEffect(() => store.showLong(entry.id, seconds), [store, entry.id, seconds, pausedAt])
}
