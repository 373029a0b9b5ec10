/** Keys of the board: its own, and what those of all views do here. */
import { TIME_WINDOW_S } from '../../../../model/board/options.ts'
import type { NamedAction } from '../../../../web/keys/keys.ts'
import type { OwnControls } from '../../../../web/zoom/own-controls.ts'
import type { ScopeSession } from './session.ts'

/** Zoom of one press, and the part of the picture that one press moves by. */
const ZOOM_FACTOR = 1.5
const PAN_PART = 0.25
/** Part of the picture that one press moves the cursor by. */
const CURSOR_PART = 1 / 60

const PRESSED: Readonly<Record<string, (session: ScopeSession) => void>> = {
  l: (session) => session.change({ isLegendHidden: !session.shown.isLegendHidden }),
  n: (session) => session.stepEvent(1),
  b: (session) => session.stepEvent(-1),
  F5: (session) => session.reset(),
}

const ACTIONS: Readonly<Partial<Record<NamedAction, (session: ScopeSession) => void>>> = {
  'zoom-in': (session) => session.zoom(1 / ZOOM_FACTOR, session.cursor.peek() ?? 1),
  'zoom-out': (session) => session.zoom(ZOOM_FACTOR, session.cursor.peek() ?? 1),
  'zoom-back': (session) => {
    for (const { name } of session.plots.peek()) session.resetZoom(name)
  },
  'pan-back': (session) => session.pan(PAN_PART * spanS(session)),
  'pan-on': (session) => session.pan(-PAN_PART * spanS(session)),
  'cursor-back': (session) => session.setCursor((session.cursor.peek() ?? 1) - CURSOR_PART),
  'cursor-on': (session) => session.setCursor((session.cursor.peek() ?? 1) + CURSOR_PART),
  off: (session) => session.setCursor(null),
  filter: () => document.querySelector<HTMLInputElement>('#scope-filter')?.focus(),
}

function spanS({ board }: ScopeSession): number {
  const { from, to } = board.span
  return to - from
}

/** Gives a session to the bar and the keys. */
export function controlsOf(session: ScopeSession): OwnControls {
  return {
    window: session.window,
    windowLeast: TIME_WINDOW_S.min,
    windowMost: TIME_WINDOW_S.max,
    state: session.state,
    instantMs: () => session.instantMs(),
    chooseWindow: (windowS) => session.chooseWindow(windowS),
    togglePause: () => session.togglePause(),
    perform(action) {
      const perform = ACTIONS[action]
      perform?.(session)
      return perform !== undefined
    },
    press: (key) => PRESSED[key]?.(session),
  }
}
