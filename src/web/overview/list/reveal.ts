/** Ways to a group of a list that may not be drawn yet: from the index, and from a link. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Group, groupAnchor } from '../../../viewer/series/select.ts'

export const UNUSUAL_ANCHOR = 'unusual'

/** Scrolls to a group by its anchor; one that is not in the list leaves the page where it is. */
export type Reveal = (anchor: string) => void

/**
 * Lets others reveal groups of a list.
 * @param list element whose style says how much of the page is covered above it
 * @param topOf CSS pixels below the list's upper edge; undefined for a group that is not in it
 */
export function useReveal(
  reveal: RefObject<Reveal | null>,
  list: RefObject<HTMLElement | null>,
  groups: readonly Group[],
  topOf: (group: number) => number | undefined,
): void {
  useEffect(() => {
    reveal.current = (anchor) => {
      const top = anchor === UNUSUAL_ANCHOR ? 0 : topOf(groups.findIndex(isAt(anchor)))
      if (list.current === null || top === undefined) return
      const covered = Number.parseFloat(getComputedStyle(list.current).scrollMarginTop) || 0
      scrollTo(0, scrollY + list.current.getBoundingClientRect().top + top - covered)
    }
    return () => {
      reveal.current = null
    }
  })
}

/** Shows the group that the address names behind `#`, once the list is there. */
export function useAnchor(reveal: RefObject<Reveal | null>, isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return
    const follow = (): void => {
      if (location.hash !== '') reveal.current?.(location.hash.slice(1))
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [reveal, isThere])
}

function isAt(anchor: string): (group: Group) => boolean {
  return ({ key }) => groupAnchor(key) === anchor
}
