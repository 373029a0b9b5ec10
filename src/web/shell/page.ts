/** What every component may use: the store, the frame, the cursor, the URL, the theme. */
import { createContext, type RefObject } from 'preact'
import { useContext, useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { Cursor } from '../chart/cursor.ts'
import { Frame, type Panel } from '../chart/frame.ts'
import { type Palette, readPalette } from '../chart/palette.ts'
import { createHubApi } from '../store/hub-api.ts'
import { LiveStore } from '../store/store.ts'
import type { Topic } from '../store/topics.ts'
import { Navigation } from './navigation.ts'
import type { Route } from './route.ts'
import { Theme } from './theme.ts'

export class Page {
  readonly frame = new Frame()
  readonly navigation = new Navigation()
  readonly store = new LiveStore(createHubApi())
  readonly cursor: Cursor
  readonly theme: Theme
  palette: Palette
  /** Words for screen readers, spoken once. */
  announce: (words: string) => void = () => {}

  constructor() {
    this.palette = readPalette(document.documentElement)
    this.cursor = new Cursor(() => {
      this.store.topics.emit('cursor')
      this.frame.redraw()
    })
    this.theme = new Theme(() => {
      this.palette = readPalette(document.documentElement)
      this.frame.redraw()
    })
    for (const topic of ['tick', 'data', 'sources', 'unusual', 'picture'] as const) {
      this.store.topics.on(topic, () => this.frame.redraw())
    }
  }

  /** The second that values are read at: under the cursor, else the last that is known. */
  readingSecond(): number {
    return this.cursor.second ?? this.store.readingSecond()
  }
}

export const PageContext = createContext<Page | undefined>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === undefined) throw new Error('a component outside of the page')
  return page
}

/** Renders the component anew when one of the topics has news. */
export function useTopics(...topics: readonly Topic[]): void {
  const { store } = usePage()
  const [, renew] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const offs = topics.map((topic) => store.topics.on(topic, () => renew(undefined)))
    return () => {
      for (const off of offs) off()
    }
  }, topics)
}

export function useRoute(): Route {
  const { navigation } = usePage()
  const [, renew] = useReducer((count: number) => count + 1, 0)
  useEffect(() => navigation.on(() => renew(undefined)), [navigation])
  return navigation.route
}

/** An element that is drawn by the frame while it is on screen. */
export function usePanel<T extends Element>(panel: Panel): RefObject<T | null> {
  const { frame } = usePage()
  const element = useRef<T | null>(null)
  const latest = useRef(panel)
  latest.current = panel
  const isDrawn = panel.draw !== undefined
  useLayoutEffect(() => {
    if (element.current === null) return
    const watched: Panel = {
      enter: () => latest.current.enter?.(),
      leave: () => latest.current.leave?.(),
    }
    if (isDrawn) watched.draw = (size) => latest.current.draw?.(size)
    return frame.watch(element.current, watched)
  }, [frame, isDrawn])
  useLayoutEffect(() => {
    if (element.current !== null) frame.touch(element.current)
  })
  return element
}
