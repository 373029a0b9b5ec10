/** Large numbers beside the chart they come from, so that the eye does not travel. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { format, NO_BREAK_SPACE } from '../format/number.ts'
import { usePage, usePanel } from '../shell/page.ts'
import { setText } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import type { SeriesData } from '../store/series-data.ts'

export interface Figure {
  readonly caption: string
  readonly unit: string
  /** The value at a second, or over the window that ends there. */
  readonly read: (data: SeriesData, second: number, window: number) => number
}

export function Now({ entry, figures }: { entry: Entry; figures: readonly Figure[] }): JSX.Element {
  const page = usePage()
  const { store } = page
  const spans = useRef<(HTMLSpanElement | null)[]>([])
  const box = usePanel<HTMLDivElement>({
    draw: () => {
      const data = store.data(entry.id)
      const second = page.readingSecond()
      const isGone = store.isStale(entry.id) && page.cursor.second === null
      figures.forEach(({ unit, read }, i) => {
        const value = data && !isGone ? read(data, second, store.window) : Number.NaN
        const [number, name] = format(value, unit)
        setText(spans.current[2 * i], number)
        setText(spans.current[2 * i + 1], name === '' ? '' : NO_BREAK_SPACE + name)
      })
    },
  })
  return (
    <div class="now" ref={box}>
      {figures.map(({ caption }, i) => (
        <div key={caption}>
          <span class="cap">{caption}</span>
          <span class="value">
            <span
              ref={(span) => {
                spans.current[2 * i] = span
              }}
            />
            <span
              class="unit"
              ref={(span) => {
                spans.current[2 * i + 1] = span
              }}
            />
          </span>
        </div>
      ))}
    </div>
  )
}
