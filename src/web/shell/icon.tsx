/** Icons: 16 px grid, 1.5 px stroke, in the colour of the text around them. */
import type { JSX } from 'preact'

const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  pause: 'M5 3v10M11 3v10',
  play: 'M4.5 2.8v10.4L13 8z',
  theme: 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2zM8 2v12',
  help: 'M5.6 5.9A2.4 2.4 0 1 1 8 8.6v1.2M8 12.6v.1',
  charts: 'M2.5 3h4.5v4H2.5zM9 3h4.5v4H9zM2.5 9.5h4.5v4H2.5zM9 9.5h4.5v4H9z',
  lines: 'M2 4h12M2 8h12M2 12h12',
  table: 'M2 3h12v10H2zM2 6.5h12M6.5 6.5V13',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  warn: 'M8 2.2 14.4 13H1.6zM8 6.4v3.2M8 11.3v.1',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  right: 'M6 4l4 4-4 4',
  action: 'M9 2 4 9h3.5L7 14l5-7H8.5z',
  close: 'M4 4l8 8M12 4l-8 8',
  counter: 'M2 13h3V9.5h3V6h3V3h3',
  gauge: 'M2 9.5l3-4 3 5 3-7 3 5',
  histogram: 'M3 13V9M6.4 13V3M9.7 13V6.5M13 13v-2.5',
  summary: 'M12 4V3H4l4.5 5L4 13h8v-1',
} as const

export type IconName = keyof typeof PATHS

/** @param title what it says where no word stands beside it */
export function Icon({ name, title }: { name: IconName; title?: string }): JSX.Element {
  const words =
    title === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': title }
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label, or by the word beside it
    <svg class="icon-shape" viewBox="0 0 16 16" width="16" height="16" {...words}>
      <path d={PATHS[name]} />
    </svg>
  )
}

/** Draws the mark: five meters. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <path d="M1 9h2v4H1zM4 4h2v9H4zM7 8h2v5H7zM10 2h2v11h-2zM13 7h2v6h-2z" />
    </svg>
  )
}
