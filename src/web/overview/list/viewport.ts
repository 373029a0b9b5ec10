/** What a list has to know to draw the part of it that is on screen. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { Group } from '../../../viewer/series/select.ts'
import type { Kept } from './layout.ts'

/** Part of an element, in CSS pixels below its upper edge. */
export interface Stretch {
  readonly top: number
  readonly bottom: number
}

/** Series up to which all are there, so that the browser's own search finds them. */
export const WHOLE_LIMIT = 100

export const EVERYTHING: Stretch = { top: Number.NEGATIVE_INFINITY, bottom: Infinity }

/** Part beyond the edges that is there, too, and lives: see frame.ts. */
const MARGIN = 400
/** Steps in which the part moves: a list is rendered that often while it is scrolled. */
const STEP = 136

/**
 * Follows the part of an element that is on screen, and a little more.
 * @param scroller what scrolls, where that is not the page
 */
export function useStretch(
  element: RefObject<HTMLElement | null>,
  scroller?: RefObject<HTMLElement | null>,
): Stretch {
  const [stretch, setStretch] = useState<Stretch>({ top: 0, bottom: 0 })
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const outer = scroller?.current ?? undefined
    const measure = (): void => {
      const { top } = measured.getBoundingClientRect()
      const edges = outer?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight }
      const next = {
        top: Math.floor((edges.top - top - MARGIN) / STEP) * STEP,
        bottom: Math.ceil((edges.bottom - top + MARGIN) / STEP) * STEP,
      }
      setStretch((last) => (last.top === next.top && last.bottom === next.bottom ? last : next))
    }
    measure()
    const sizes = new ResizeObserver(measure)
    // What stands above the element moves it, too.
    for (const each of [measured, document.body, ...(outer ? [outer] : [])]) sizes.observe(each)
    const target = outer ?? window
    target.addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      sizes.disconnect()
      target.removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [element, scroller])
  return stretch
}

/**
 * Makes what is shown of a list, each box once for as long as it is there: those that stay are not
 * compared anew with each step that is scrolled.
 * @param basis what all of them are made of
 */
export function useBoxes(
  boxes: readonly number[],
  basis: readonly unknown[],
  make: (box: number) => VNode,
): (box: number) => VNode {
  const made = useMemo(() => new Map<number, VNode>(), basis)
  const shown = new Set(boxes)
  for (const box of made.keys()) if (!shown.has(box)) made.delete(box)
  return (box) => {
    const known = made.get(box) ?? make(box)
    made.set(box, known)
    return known
  }
}

/** Measures the width of an element, in CSS pixels; 0 until it is there. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const measure = (): void => setWidth(measured.clientWidth)
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(measured)
    return () => sizes.disconnect()
  }, [element])
  return width
}

/** Attribute of what shows a series: its id. */
const SERIES = 'data-series'

/** Finds the series within an element whose link has the focus: it must not leave with it. */
function useFocusedSeries(element: RefObject<HTMLElement | null>): number | undefined {
  const [focused, setFocused] = useState<number>()
  useEffect(() => {
    const list = element.current
    if (list === null) return
    const look = (): void => {
      const active = document.activeElement
      const id = list.contains(active) ? active?.closest(`[${SERIES}]`)?.getAttribute(SERIES) : null
      setFocused(typeof id === 'string' ? Number(id) : undefined)
    }
    // On the way from one element to the next, none has the focus.
    const lookLater = (): void => queueMicrotask(look)
    list.addEventListener('focusin', look)
    list.addEventListener('focusout', lookLater)
    return () => {
      list.removeEventListener('focusin', look)
      list.removeEventListener('focusout', lookLater)
    }
  }, [element])
  return focused
}

/** Finds where the series stands that has the focus. */
export function useKept(
  groups: readonly Group[],
  list: RefObject<HTMLElement | null>,
): Kept | undefined {
  const focused = useFocusedSeries(list)
  return useMemo(() => {
    if (focused === undefined) return undefined
    const boxOf = ({ entries }: Group): number => entries.findIndex(({ id }) => id === focused)
    const group = groups.findIndex((each) => boxOf(each) >= 0)
    return group < 0 ? undefined : { group, box: boxOf(groups[group]!) }
  }, [groups, focused])
}
