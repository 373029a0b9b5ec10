/**
 * A board on the page. The URL is its state: every control changes the link, and the board follows;
 * what comes from the hub is drawn, and what the trigger does is written into the link.
 */
import { batch, type Signal, signal } from '@preact/signals'
import { Board } from '../../../../model/board/board.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import { type Part, WHOLE } from '../../../../model/board/time-view.ts'
import type { TriggerEvent } from '../../../../model/board/trigger.ts'
import type { Page } from '../../../../web/shell/page.ts'
import { to } from '../../../../web/shell/route.ts'
import type { OwnState } from '../../../../web/zoom/own-controls.ts'
import { SCOPE, type ScopeState, STANDARD } from '../address.ts'
import { Following } from './following.ts'
import { Redraw } from './redraw.ts'

const NOTES_LIMIT = 20
/** Two instants of a link this near are the same: it has whole milliseconds. */
const INSTANT_S = 0.002

/** Pause before what was panned and zoomed to is linked, ms: browsers count changes of a link. */
const LINK_MS = 500
/** Pause that ends a gesture, ms: the next one is a step of its own to go back to. */
const REST_MS = 800

const STATES = {
  live: { word: 'Live', dot: 'dot', isStill: false },
  cursor: { word: 'Cursor', dot: 'dot', isStill: false },
  paused: { word: 'Paused', dot: 'dot paused', isStill: true },
  held: { word: 'Held', dot: 'dot held', isStill: true },
} as const satisfies Record<string, OwnState>

export class ScopeSession {
  readonly page: Page
  readonly board: Board
  readonly redraw = new Redraw()
  readonly following: Following
  readonly window: Signal<number>
  readonly state: Signal<OwnState> = signal(STATES.live)
  /** Place of the cursor as a share of the picture, 0 = left; null without one. */
  readonly cursor: Signal<number | null> = signal(null)
  /** Plots that are shown; another array when lines come, go or move. */
  readonly plots: Signal<readonly Plot[]> = signal([])
  /** Rises when an event comes, goes, or is looked at, and when thresholds are set. */
  readonly events = signal(0)
  /** Words about what could not be done as it was asked for, the newest last. */
  readonly notes: Signal<readonly string[]> = signal([])
  /** Nothing has come yet. */
  readonly isEmpty = signal(true)
  readonly #applied: Signal<ScopeState> = signal(STANDARD)
  #allPlots: readonly Plot[] = []
  #filter = ''
  #eventKey = ''
  #latched: TriggerEvent | undefined
  /** End of a picture that was paused by hand here, Unix ms: no link has held it. */
  #notHeldMs: number | null = null
  #linking: ReturnType<typeof setTimeout> | undefined
  /** Time of the last act of the person who looks, as performance.now() has it. */
  #actedMs = Number.NEGATIVE_INFINITY
  /** An act has begun of which the link says nothing yet. */
  #isNewAct = false

  constructor(page: Page, state: ScopeState) {
    this.page = page
    this.board = new Board({ windowS: state.windowS, onNote: (text) => this.#note(text) })
    this.window = signal(this.board.windowS)
    this.apply(state)
    this.following = new Following({
      ...{ store: page.store, board: this.board, choice: this.#applied },
      onChange: () => this.changed(),
    })
  }

  close(): void {
    clearTimeout(this.#linking)
    this.following.close()
    this.redraw.close()
  }

  /** State of the link. */
  get shown(): ScopeState {
    return this.#applied.value
  }

  /** Changes the link, and the board with it. @param how `replace` leaves no step to go back to */
  change(change: Partial<ScopeState>, how: 'push' | 'replace' = 'push'): void {
    const { navigation } = this.page
    navigation.go(to(SCOPE, { ...this.#zooms(), ...change }), how)
    this.apply(navigation.state(SCOPE))
    this.redraw.now()
  }

  /** Shows a change that goes on, without writing it into the link. */
  preview(change: Partial<ScopeState>): void {
    this.apply({ ...this.#applied.peek(), ...change })
    this.redraw.now()
  }

  /** Makes the board what a link says: only what differs from the last one is touched. */
  apply(next: ScopeState): void {
    const last = this.#applied.peek()
    if (next === last) return
    const { board } = this
    const isOtherWindow = next.windowS !== board.windowS
    if (isOtherWindow) board.windowS = next.windowS
    changes(last.yRanges, next.yRanges, plotOf, (plot, range) => {
      board.yRanges.set(plot, { min: range?.min ?? null, max: range?.max ?? null })
    })
    changes(last.averages, next.averages, keyOf, (key, window) => board.setAverage(key, window))
    changes(last.triggers, next.triggers, keyOf, (key, set) => {
      board.events.edit(key, { below: set?.below ?? null, above: set?.above ?? null })
    })
    changes(last.plots, next.plots, nameOf, (name, chosen) => board.assign(name, chosen?.plot))
    if (next.atMs !== last.atMs && next.atMs !== this.#endMs()) {
      // of a time to come the last picture is held that there is
      if (next.atMs !== null) board.pauseAt(Math.min(next.atMs, this.page.store.clock.nowMs()))
      else if (board.state !== 'live') board.togglePause()
    }
    if (isOtherWindow || !isSame(next.part, last.part)) {
      if (!isSame(next.part, roundedPart(board))) board.showPart(next.part)
    }
    changes(last.yZooms, next.yZooms, plotOf, (plot, zoom) => {
      if (zoom === undefined) board.yRanges.reset(plot)
      else board.yRanges.zoom(plot, { lo: zoom.min!, hi: zoom.max! })
    })
    batch(() => {
      this.#applied.value = next
      this.window.value = board.windowS
      if (next.triggers !== last.triggers) this.events.value += 1
      if (next.hidden !== last.hidden) this.#hide()
      if (next.theme !== null && next.theme !== last.theme) {
        this.page.theme.choice.value = next.theme
      }
      for (const fault of next.faults) {
        if (!last.faults.includes(fault)) this.#note(`“${fault}” can’t be read: it is left out`)
      }
      this.changed()
    })
  }

  /** Looks at what has changed on the board, and has it drawn. */
  changed(): void {
    const { board } = this
    const { events } = board
    batch(() => {
      const all = board.plots()
      const { filter } = this.#applied.peek()
      if (all !== this.#allPlots) this.#hide()
      if (all !== this.#allPlots || filter !== this.#filter) this.plots.value = board.plots(filter)
      this.#allPlots = all
      this.#filter = filter
      this.isEmpty.value = board.isEmpty
      this.#holdAgain()
      this.#linkZooms()
      const last = events.list.at(-1)
      const key = [events.list.length, last?.t, events.latched?.t, events.shown?.t, board.state]
      if (key.join() !== this.#eventKey) {
        this.#eventKey = key.join()
        this.events.value += 1
        this.#tell()
      }
      const isAtCursor = board.state === 'live' && this.cursor.peek() !== null
      this.state.value = STATES[isAtCursor ? 'cursor' : board.state]
    })
    this.redraw.ask()
  }

  /** Holds the event that a link shows in the middle, once it is known again. */
  #holdAgain(): void {
    const { board } = this
    const { atMs } = this.#applied.peek()
    if (board.state !== 'paused' || atMs === null || atMs === this.#notHeldMs) return
    const middle = (atMs - board.originMs) / 1000 - board.windowS / 2
    const event = board.events.list.find(({ t }) => Math.abs(t - middle) < INSTANT_S)
    if (event === undefined) return
    const { part } = board
    board.events.show(event)
    board.showPart(part)
    // it was not paused by hand
    board.liftPause()
  }

  /** Gives what was panned and zoomed to, as a link says it. */
  #zooms(): Pick<ScopeState, 'part' | 'yZooms'> {
    const { part, yZooms } = this.#applied.peek()
    const next = { part: roundedPart(this.board), yZooms: zoomsOf(this.board) }
    return {
      part: isSame(part, next.part) ? part : next.part,
      yZooms: isSame(yZooms, next.yZooms) ? yZooms : next.yZooms,
    }
  }

  /** Writes into the link, soon, what was panned and zoomed to. */
  #linkZooms(): void {
    const shown = this.#applied.peek()
    const { part, yZooms } = this.#zooms()
    if (part === shown.part && yZooms === shown.yZooms) return
    this.#linking ??= setTimeout(() => {
      this.#linking = undefined
      // a change that goes on is not in the link yet
      if (this.#applied.peek() !== this.page.navigation.state(SCOPE)) this.#linkZooms()
      else this.#write({})
    }, LINK_MS)
  }

  #hide(): void {
    const hidden = new Set(this.#applied.peek().hidden)
    for (const line of this.board.lines) line.isHidden = hidden.has(line.key)
  }

  /** End of a picture that stands still, Unix ms; null while it moves. */
  #endMs(): number | null {
    const { board } = this
    if (board.state === 'live') return null
    const { zero } = board.span
    const end = board.state === 'held' ? zero + board.windowS / 2 : zero
    return Math.round(board.originMs + end * 1000)
  }

  /** Writes into the link where the picture stands still, and says what was caught. */
  #tell(): void {
    const { latched } = this.board.events
    if (latched !== undefined && latched !== this.#latched) {
      this.page.announce(`Triggered by ${latched.key}`)
    }
    this.#latched = latched
    // not now: whatever has changed the board may be writing the link itself
    queueMicrotask(() => {
      const atMs = this.#endMs()
      if (atMs !== this.#applied.peek().atMs) this.#write({ atMs })
    })
  }

  /** Writes what an act has changed as a step to go back to, all that follows of it into that. */
  #write(change: Partial<ScopeState>): void {
    const isStep = this.#isNewAct && performance.now() - this.#actedMs < REST_MS
    this.#isNewAct = false
    this.change(change, isStep ? 'push' : 'replace')
  }

  #note(text: string): void {
    const others = this.notes.peek().filter((each) => each !== text)
    this.notes.value = [...others, text].slice(-NOTES_LIMIT)
  }

  dismissNote(text: string): void {
    this.notes.value = this.notes.peek().filter((each) => each !== text)
  }

  /** Shows another window, all of it. */
  chooseWindow(windowS: number): void {
    this.change({ windowS, part: WHOLE })
  }

  instantMs(): number {
    const { board } = this
    if (board.isEmpty) return this.page.store.clock.nowMs()
    return board.originMs + (this.cursorTime() ?? board.span.to) * 1000
  }

  /** Time under the cursor, as those of the board. */
  cursorTime(): number | undefined {
    const share = this.cursor.peek()
    if (share === null) return undefined
    const { from, to } = this.board.span
    return from + share * (to - from)
  }

  /** @param share of the picture, moved into it */
  setCursor(share: number | null): void {
    const next = share === null ? null : Math.min(1, Math.max(0, share))
    if (next === this.cursor.peek()) return
    this.cursor.value = next
    this.changed()
    this.redraw.now()
  }

  togglePause(): void {
    this.board.togglePause()
    this.#notHeldMs = this.#endMs()
    this.change({ atMs: this.#endMs() })
  }

  /** Takes back zooms and the trigger's event. */
  reset(): void {
    this.cursor.value = null
    this.#act(() => this.board.reset())
  }

  /** Forgets the event, and lets the picture move on. */
  clearEvent(): void {
    this.#act(() => this.board.events.clear())
  }

  /** Shows an event in the middle. */
  showEvent(event: TriggerEvent): void {
    this.#act(() => this.board.events.show(event))
  }

  stepEvent(direction: 1 | -1): void {
    this.#act(() => this.board.events.step(direction))
  }

  pan(seconds: number): void {
    this.#act(() => this.board.pan(seconds))
  }

  /** @param at share of the picture that stays in its place; 0 = left */
  zoom(factor: number, at: number): void {
    this.#act(() => this.board.zoom(factor, at))
  }

  resetZoom(plot: string): void {
    this.#act(() => this.board.resetZoom(plot))
  }

  /** Puts a line into a plot by hand; undefined takes that back. */
  assign(name: string, plot: string | undefined): void {
    const others = this.shown.plots.filter((each) => each.name !== name)
    this.change({ plots: plot === undefined ? others : [...others, { name, plot }] })
  }

  /** Shows another part of the values of a plot. */
  zoomValues(plot: string, range: { readonly lo: number; readonly hi: number }): void {
    this.#act(() => this.board.yRanges.zoom(plot, range))
  }

  #act(act: () => void): void {
    const nowMs = performance.now()
    this.#isNewAct ||= nowMs - this.#actedMs > REST_MS
    this.#actedMs = nowMs
    act()
    this.changed()
    this.redraw.now()
  }
}

/** Gives the part of the window that is shown, in whole ms: a link need not say more. */
function roundedPart({ part: { backS, spanS } }: Board): Part {
  return { backS: roundMs(backS), spanS: spanS === null ? null : roundMs(spanS) }
}

function roundMs(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function zoomsOf({ yRanges }: Board): ScopeState['yZooms'] {
  return Array.from(yRanges.zoomed, ([plot, { lo, hi }]) => ({ plot, min: lo, max: hi }))
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const plotOf = ({ plot }: { readonly plot: string }): string => plot
const keyOf = ({ key }: { readonly key: string }): string => key
const nameOf = ({ name }: { readonly name: string }): string => name

/**
 * Calls for every name that two lists say different things of.
 * @param take undefined = not there any more
 */
function changes<T>(
  last: readonly T[],
  next: readonly T[],
  nameOf: (each: T) => string,
  take: (name: string, each: T | undefined) => void,
): void {
  if (last === next) return
  const before = new Map(last.map((each) => [nameOf(each), JSON.stringify(each)]))
  const after = new Map(next.map((each) => [nameOf(each), each]))
  for (const name of before.keys()) if (!after.has(name)) take(name, undefined)
  for (const [name, each] of after) if (before.get(name) !== JSON.stringify(each)) take(name, each)
}
