/** The board as a whole: time window, columns, shape of the charts, legend, motion. */
import type { JSX } from 'preact'
import { CHART_ASPECT, CHART_COLUMNS, TIME_WINDOW_S } from '../../../../model/board/options.ts'
import { WHOLE } from '../../../../model/board/time-view.ts'
import { spanText } from '../../../../viewer/format/time.ts'
import type { ScopeSession } from '../session/session.ts'
import { Slider } from './fields.tsx'

const WINDOW_STEPS = 1000
const ASPECT_STEP = 0.1

/** Place of a window on a slider that is logarithmic. */
function placeOf(seconds: number): number {
  return Math.round((Math.log(seconds) / Math.log(TIME_WINDOW_S.max)) * WINDOW_STEPS)
}

function windowAt(place: number): number {
  return Math.max(1, Math.round(TIME_WINDOW_S.max ** (place / WINDOW_STEPS)))
}

export function BoardPanel({ session }: { session: ScopeSession }): JSX.Element {
  const { windowS, columns, aspect, isLegendHidden } = session.shown
  const { redraw } = session
  return (
    <section aria-label="Board">
      <h2>Board</h2>
      <Slider
        caption="Time window"
        words={spanText(windowS)}
        {...{ min: 0, max: WINDOW_STEPS, step: 1, value: placeOf(windowS) }}
        preview={(place) => session.preview({ windowS: windowAt(place), part: WHOLE })}
        take={(place) => session.chooseWindow(windowAt(place))}
      />
      <Slider
        caption="Columns"
        words={String(columns)}
        {...{ min: CHART_COLUMNS.min, max: CHART_COLUMNS.max, step: 1, value: columns }}
        preview={(next) => session.preview({ columns: next })}
        take={(next) => session.change({ columns: next })}
      />
      {aspect !== null && (
        <Slider
          caption="Width by height"
          words={aspect.toFixed(1)}
          {...{ min: CHART_ASPECT.min, max: CHART_ASPECT.max, step: ASPECT_STEP, value: aspect }}
          preview={(next) => session.preview({ aspect: next })}
          take={(next) => session.change({ aspect: next })}
        />
      )}
      <Check
        words="Charts fill the window"
        isOn={aspect === null}
        choose={(isOn) => session.change({ aspect: isOn ? null : CHART_ASPECT.standard })}
      />
      <Check
        words="Legend"
        isOn={!isLegendHidden}
        choose={(isOn) => session.change({ isLegendHidden: !isOn })}
      />
      <button type="button" class="button" onClick={() => session.reset()}>
        Reset views, clear trigger <kbd>F5</kbd>
      </button>
      {redraw.isReduced.value && (
        <Check
          words="Move as data comes"
          isOn={redraw.isSmooth.value}
          choose={(isOn) => redraw.chooseMotion(isOn)}
        />
      )}
    </section>
  )
}

interface CheckProps {
  readonly words: string
  readonly isOn: boolean
  readonly choose: (isOn: boolean) => void
}

function Check({ words, isOn, choose }: CheckProps): JSX.Element {
  return (
    <label class="row check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      {words}
    </label>
  )
}
