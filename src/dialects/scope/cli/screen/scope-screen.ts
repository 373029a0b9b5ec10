/**
 * `pentameter scope` at a terminal: the board on one screen, with the keys of the page. Reading
 * goes on whatever the picture does.
 */
import { Board } from '../../../../model/board/board.ts'
import { CHART_ASPECT, CHART_COLUMNS } from '../../../../model/board/options.ts'
import { escapeUnseen } from '../../../../model/text/unseen.ts'
import {
  drawKeys,
  type Key,
  keyLine,
  type ScreenBuffer,
  type TerminalParts,
  TerminalSession,
} from '../../../../terminal/index.ts'
import { type FeedBoard, lastLine, type ScopeFeed } from '../feed/feed.ts'
import type { ScopeRequest } from '../flags.ts'
import { drawHead, drawTime, FOOT_ROWS, HEAD_ROWS, type HeadView } from './frame.ts'
import { HINTS, KEYS } from './help.ts'
import { PlotsPane } from './plots-pane.ts'
import { Prompt, type Question } from './prompt.ts'
import {
  averageQuestion,
  plotQuestion,
  triggerQuestion,
  windowQuestion,
  yRangeQuestion,
} from './questions.ts'
import { drawSmall } from './small.ts'

/** Makes the feed; a parameter, so that tests need no socket. */
export type OpenFeed = (board: FeedBoard, onChange: () => void) => ScopeFeed

const FRAME_MS = 50
const TICK_MS = 1000
const NOTE_MS = 5000
const LEAST_COLUMNS = 60
const LEAST_ROWS = 12
/** Windows that the brackets go through. */
const WINDOWS_S = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600] as const
const ZOOM = 0.7
const PAN_PART = 0.25
const ASPECT_STEP = 0.5

/** @returns when it is over; the terminal is as it was before, with one line more */
export async function scopeOnScreen(
  request: ScopeRequest,
  openFeed: OpenFeed,
  parts: TerminalParts,
): Promise<void> {
  await new ScopeScreen(request, openFeed, parts).run()
}

class ScopeScreen {
  readonly #parts: TerminalParts
  readonly #beganNs: bigint
  readonly #board: Board
  readonly #pane: PlotsPane
  readonly #feed: ScopeFeed
  readonly #session: TerminalSession
  readonly #ended = Promise.withResolvers<void>()
  #prompt: Prompt | undefined
  #isHelp = false
  #note: { readonly text: string; readonly untilNs: bigint } | undefined
  #cancelTick = (): void => {}

  constructor(request: ScopeRequest, openFeed: OpenFeed, parts: TerminalParts) {
    this.#parts = parts
    this.#beganNs = parts.clock.monotonicNs()
    this.#board = new Board({ ...request.board, onNote: (text) => this.#takeNote(text) })
    this.#pane = new PlotsPane(this.#board, request.view)
    this.#session = new TerminalSession(parts, {
      draw: (buffer) => this.#draw(buffer),
      onKey: (key) => this.#onKey(key),
      end: () => this.#ended.resolve(),
      seen: () => this.#seen(),
      frameMs: FRAME_MS,
    })
    this.#feed = openFeed(this.#board, () => this.#session.refresh())
  }

  async run(): Promise<void> {
    this.#session.open()
    try {
      await this.#session.run(this.#work())
    } finally {
      this.#cancelTick()
      await this.#feed.close()
    }
  }

  #seen(): string {
    const elapsedNs = this.#parts.clock.monotonicNs() - this.#beganNs
    const { fault } = this.#feed.status()
    const more = fault === undefined ? [] : [escapeUnseen(fault)]
    return lastLine(elapsedNs, this.#board.size, this.#feed.errors, more)
  }

  async #work(): Promise<void> {
    this.#tick()
    await Promise.race([this.#feed.start().then(() => this.#ended.promise), this.#ended.promise])
  }

  /** Draws what time alone changes: the pause before the next attempt, and notes that go. */
  #tick(): void {
    this.#cancelTick = this.#parts.clock.after(TICK_MS, () => {
      this.#session.refresh()
      this.#tick()
    })
  }

  #takeNote(text: string): void {
    const untilNs = this.#parts.clock.monotonicNs() + BigInt(NOTE_MS) * 1_000_000n
    this.#note = { text, untilNs }
  }

  #onKey(key: Key): boolean {
    if (this.#prompt !== undefined) this.#prompt.key(key)
    else if (key === '?') this.#isHelp = !this.#isHelp
    else if (this.#isHelp && key === 'escape') this.#isHelp = false
    else return this.#onPictureKey(key) || this.#onPlotKey(key) || this.#onQuestionKey(key)
    return true
  }

  /** Keys about time: pause, reset, events, window, zoom, the cursor. */
  #onPictureKey(key: Key): boolean {
    const board = this.#board
    const { span } = board
    const shown = span.to - span.from
    if (key === 'p' || key === 'P') board.togglePause()
    else if (key === 'f5' || key === 'r' || key === 'R') board.reset()
    else if (key === 'n' || key === 'N') board.events.step(1)
    else if (key === 'b' || key === 'B') board.events.step(-1)
    else if (key === '[') this.#stepWindow(-1)
    else if (key === ']') this.#stepWindow(1)
    else if (key === '+' || key === '=') board.zoom(ZOOM, this.#zoomCentre())
    else if (key === '-') board.zoom(1 / ZOOM, this.#zoomCentre())
    else if (key === '<') board.pan(shown * PAN_PART)
    else if (key === '>') board.pan(-shown * PAN_PART)
    else if (key === 'left') this.#pane.moveCursor(-1)
    else if (key === 'right') this.#pane.moveCursor(1)
    else if (key === 'escape') this.#escape()
    else return false
    return true
  }

  /** Keys about plots: legend, columns, focus, lines. */
  #onPlotKey(key: Key): boolean {
    const pane = this.#pane
    if (key === 'l' || key === 'L') pane.hasLegend = !pane.hasLegend
    else if (key === 'c') this.#stepColumns(1)
    else if (key === 'C') this.#stepColumns(-1)
    else if (key === 'a') this.#stepAspect(ASPECT_STEP)
    else if (key === 'A') this.#stepAspect(-ASPECT_STEP)
    else if (key === 'tab') pane.moveFocus(1)
    else if (key === 'up') pane.moveRows(-1)
    else if (key === 'down') pane.moveRows(1)
    else if (key === 'page-up') pane.movePages(-1)
    else if (key === 'page-down') pane.movePages(1)
    else if (key === 'home') pane.moveFocus(Number.NEGATIVE_INFINITY)
    else if (key === 'end') pane.moveFocus(Number.POSITIVE_INFINITY)
    else if (/^[0-9]$/.test(key)) this.#toggleLine((Number(key) + 9) % 10)
    else return false
    return true
  }

  #onQuestionKey(key: Key): boolean {
    const board = this.#board
    const plot = this.#pane.focused
    const letter = key.toLowerCase()
    if (key === '/') this.#ask(this.#filterQuestion())
    else if (letter === 'w') this.#ask(windowQuestion(board))
    else if (plot === undefined) return false
    else if (letter === 'y') this.#ask(yRangeQuestion(board, plot))
    else if (letter === 'm') this.#ask(averageQuestion(board, plot))
    else if (letter === 't') this.#ask(triggerQuestion(board, plot))
    else if (letter === 'g') this.#ask(plotQuestion(board, plot))
    else return false
    return true
  }

  #ask(question: Question): void {
    this.#prompt = new Prompt(question, () => {
      this.#prompt = undefined
    })
  }

  #filterQuestion(): Question {
    const pane = this.#pane
    const before = pane.filter
    const take = (text: string): undefined => {
      pane.filter = text
    }
    const onCancel = (): void => {
      pane.filter = before
    }
    const hint = 'words of plots and series'
    return { title: 'Filter', hint, text: before, onChange: take, onEnter: take, onCancel }
  }

  /** Takes back one thing after the other: the cursor, an event that is held, a zoom, a filter. */
  #escape(): void {
    const board = this.#board
    if (this.#pane.hasCursor) this.#pane.dropCursor()
    else if (board.state === 'held') board.events.clear()
    else if (board.isZoomed) board.reset()
    else this.#pane.filter = ''
  }

  /** Share of the picture at the cursor; the right edge without one. */
  #zoomCentre(): number {
    const { from, to } = this.#board.span
    const { cursor } = this.#pane
    return cursor === undefined ? 1 : (cursor - from) / (to - from)
  }

  #stepWindow(direction: 1 | -1): void {
    const board = this.#board
    const larger = WINDOWS_S.find((each) => each > board.windowS)
    const smaller = WINDOWS_S.findLast((each) => each < board.windowS)
    const next = direction === 1 ? larger : smaller
    if (next !== undefined) board.windowS = next
  }

  #stepColumns(step: number): void {
    const { min, max } = CHART_COLUMNS
    const now = this.#pane.layout.columns
    this.#pane.chartColumns = Math.min(max, Math.max(min, now + step))
  }

  #stepAspect(step: number): void {
    const { min, max, standard } = CHART_ASPECT
    const now = this.#pane.chartAspect ?? standard
    this.#pane.chartAspect = Math.min(max, Math.max(min, now + step))
  }

  #toggleLine(index: number): void {
    const line = this.#pane.focused?.lines[index]
    if (line !== undefined) line.isHidden = !line.isHidden
  }

  #draw(buffer: ScreenBuffer): void {
    const { columns, rows } = buffer
    const nowNs = this.#parts.clock.monotonicNs()
    const head: HeadView = {
      ...{ title: this.#feed.title, status: this.#feed.status(), board: this.#board, nowNs },
      ...{ cursor: this.#pane.cursor, filter: this.#pane.filter },
    }
    if (columns < LEAST_COLUMNS || rows < LEAST_ROWS) {
      drawSmall(buffer, this.#pane.plots, head, `${LEAST_COLUMNS} x ${LEAST_ROWS}`)
      return
    }
    drawHead(buffer, head)
    const timeRow = rows - FOOT_ROWS
    if (this.#isHelp) drawKeys(buffer, HEAD_ROWS, timeRow + 1 - HEAD_ROWS, KEYS)
    else {
      this.#pane.draw(buffer, HEAD_ROWS, timeRow - HEAD_ROWS)
      if (this.#pane.plots.length === 0) this.#drawNothing(buffer, head)
      else drawTime(buffer, timeRow, this.#pane, head)
    }
    this.#drawFoot(buffer, timeRow + 1, nowNs)
  }

  #drawNothing(buffer: ScreenBuffer, { status }: HeadView): void {
    const { filter } = this.#pane
    const row = Math.floor(buffer.rows / 2)
    const text =
      filter !== ''
        ? `No series matches “${filter}”. Esc clears the filter.`
        : status.state === 'online'
          ? this.#feed.whenEmpty
          : 'Nothing has arrived yet. What comes appears here by itself.'
    buffer.write(row, Math.max(0, Math.floor((buffer.columns - text.length) / 2)), text)
  }

  #drawFoot(buffer: ScreenBuffer, row: number, nowNs: bigint): void {
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    const { position } = this.#pane
    if (position !== '') buffer.writeRight(row, buffer.columns, ` ${position}`)
    if (this.#prompt !== undefined) {
      this.#prompt.draw(buffer, row)
      return
    }
    const isNoted = this.#note !== undefined && nowNs < this.#note.untilNs
    if (isNoted) buffer.write(row + 1, 1, `◆ ${this.#note!.text}`, 'unusual')
    else buffer.write(row + 1, 1, keyLine(HINTS, buffer.columns - 2))
  }
}
