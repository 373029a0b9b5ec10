/**
 * Focus over changes of place: with the view that is replaced goes the element that had it, and the
 * browser leaves it nowhere. Who goes back has it on the link that was followed; else it is at the
 * heading of the new place, from where Tab goes on.
 */
import { useEffect, useRef } from 'preact/hooks'
import { usePage } from './page.ts'
import { pathOf } from './route.ts'

/** Time for which a view may be read, or its list, until there is something to focus, ms. */
const PATIENCE_MS = 3000
/** Places whose link is remembered. */
const PLACES_LIMIT = 50

export function useFocus(): void {
  const { navigation } = usePage()
  const path = pathOf(navigation.route.value)
  const last = useRef(path)
  const followed = useRef(new Map<string, string>())
  // while this renders the former view is still there
  if (last.current !== path) remember(followed.current, last.current)
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    const link = navigation.cameBack ? followed.current.get(path) : undefined
    return focusSoon(link)
  }, [navigation, path])
}

function remember(followed: Map<string, string>, path: string): void {
  const link = document.activeElement?.closest('main a')?.getAttribute('href')
  followed.delete(path)
  if (link == null) return
  followed.set(path, link)
  const [oldest] = followed.keys()
  if (followed.size > PLACES_LIMIT) followed.delete(oldest!)
}

/**
 * Focuses a link as soon as it is there, else the heading; and again, where what a view shows while
 * it reads has given way to another one. @returns a function that gives it up
 */
function focusSoon(link: string | undefined): () => void {
  const began = performance.now()
  const { pathname } = location
  let found: HTMLElement | null = null
  let frame = requestAnimationFrame(function look() {
    const { activeElement } = document
    const isElsewhere = activeElement !== null && activeElement !== document.body
    if (isElsewhere ? activeElement !== found : found?.isConnected) return
    // gone from here, and not given up yet
    if (location.pathname !== pathname) return
    const isLate = performance.now() - began > PATIENCE_MS
    if (!isElsewhere) {
      found = link === undefined || isLate ? heading() : linkTo(link)
      found?.focus({ preventScroll: true })
    }
    if (!isLate) frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}

function linkTo(link: string): HTMLElement | null {
  return document.querySelector(`main a[href=${JSON.stringify(link)}]`)
}

function heading(): HTMLElement | null {
  const found = document.querySelector<HTMLElement>('main h1')
  if (found !== null) found.tabIndex = -1
  return found
}
