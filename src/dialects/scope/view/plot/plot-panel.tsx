/** A plot: its caption with the keys of its lines, and its picture. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { boardValueText, plotTitle } from '../../../../model/board/captions.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import { PAST_MS } from '../../../../viewer/board/hub-feed.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { clockText, spanText } from '../../../../viewer/format/time.ts'
import { Painter } from '../../../../web/chart/painter.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../../../../web/chart-file/chart-tools.tsx'
import { usePanel } from '../../../../web/shell/page.ts'
import { Name, setText } from '../../../../web/shell/parts.tsx'
import type { ScopeSession } from '../session/session.ts'
import { type DrawnPlot, drawBoardPlot } from './draw-plot.ts'
import { PlotGestures } from './gestures.ts'
import { Keys } from './keys.tsx'
import { DRAGGED } from './line-key.tsx'
import { divisionsTable, samplesTable } from './plot-table.ts'

interface PlotPanelProps {
  readonly session: ScopeSession
  readonly plot: Plot
}

/** Height of a saved picture, in CSS pixels. */
const PICTURE_HEIGHT = 320
/** Lines that the picture's name tells; the table has all of them. */
const NAMED_LINES = 4

function labelOf({ name, lines }: Plot): string {
  const names = lines.slice(0, NAMED_LINES).map((line) => shownName(line.name))
  const more = lines.length > NAMED_LINES ? ` and ${lines.length - NAMED_LINES} more` : ''
  return `Plot ${shownName(name)}: ${names.join(', ')}${more}`
}

export function PlotPanel({ session, plot }: PlotPanelProps): JSX.Element {
  const { page, board, redraw } = session
  const section = useRef<HTMLElement>(null)
  const drawn = useRef<DrawnPlot | undefined>(undefined)
  const isVisible = useRef(false)
  const latest = useRef(plot)
  latest.current = plot
  const draw = (painter: Painter, cursor?: number): DrawnPlot => {
    const { atMs } = session.shown
    const isOver = atMs !== null && atMs < page.store.clock.nowMs() - PAST_MS
    const nothing = isOver ? 'samples of that time are no longer kept' : 'nothing in this window'
    const emptyWords = board.isEmpty ? 'waiting for the first sample' : nothing
    return drawBoardPlot(painter, { board, plot: latest.current, cursor, emptyWords })
  }
  const isDue = useRef(true)
  const drawnFor = useRef('')
  const canvas = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      const { palette } = page.theme
      const shape = `${size.width} ${size.height} ${palette.color('bg')}`
      // the page draws all again with every second: less motion is as often as the board says
      const isNeeded = isDue.current || redraw.isSmooth.peek() || shape !== drawnFor.current
      if (canvas.current === null || size.width === 0 || !isNeeded) return
      isDue.current = false
      drawnFor.current = shape
      drawn.current = draw(new Painter(canvas.current, size, palette), session.cursorTime())
    },
    enter: () => {
      isVisible.current = true
      write()
    },
    leave: () => {
      isVisible.current = false
    },
  })
  const write = (): void => {
    if (!isVisible.current) return
    const values = section.current?.querySelectorAll('.key > b') ?? []
    const time = session.cursorTime()
    latest.current.lines.forEach((line, i) => {
      const key = values[i]
      if (key === undefined) return
      setText(key, boardValueText(board.valueAt(line, time), line.about.unit))
      key.parentElement!.toggleAttribute('data-silent', board.isSilent(line))
    })
  }
  useLayoutEffect(() => {
    isDue.current = true
    write()
  })
  useEffect(() => {
    const touch = (): void => {
      isDue.current = true
      if (canvas.current) page.frame.touch(canvas.current)
    }
    return redraw.watch({ touch, write })
  }, [page, redraw, canvas])
  useEffect(() => {
    const gestures = new PlotGestures(
      session,
      () => latest.current.name,
      () => drawn.current,
    )
    return canvas.current === null ? undefined : gestures.follow(canvas.current)
  }, [session, canvas])
  const { isLegendHidden } = session.shown
  const title = isLegendHidden ? plot.name : plotTitle(plot)
  const chart: ChartFile = {
    title: `Plot ${shownName(plot.name)}`,
    note: () => `${spanText(board.windowS)} until ${clockText(session.instantMs())}`,
    height: PICTURE_HEIGHT,
    draw,
    table: () => divisionsTable(board, latest.current),
    all: () => samplesTable(board, latest.current),
  }
  const take = (event: DragEvent): void => {
    const name = event.dataTransfer?.getData(DRAGGED) ?? ''
    if (name === '') return
    event.preventDefault()
    session.assign(name, plot.name)
  }
  return (
    <section
      class="plot"
      ref={section}
      aria-label={`Plot ${shownName(plot.name)}`}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault()
      }}
      onDrop={take}
    >
      <header>
        {title !== '' && (
          <h2 class="cut" title={title}>
            <Name text={title} />
          </h2>
        )}
        {!isLegendHidden && <Keys session={session} lines={plot.lines} />}
        <span class="tools">
          <ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />
        </span>
      </header>
      <canvas ref={canvas} role="img" aria-label={labelOf(plot)} />
      <ToolsTable chart={chart} />
    </section>
  )
}
