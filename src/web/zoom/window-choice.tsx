/** The time window: some by a click, every other one by typing it. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { spanText, windowText } from '../../viewer/format/time.ts'
import { usePage } from '../shell/page.ts'
import { lengthText, parseLength } from './span.ts'

/** Shows the window where no button does, and takes any other one. */
function OtherWindow({ window }: { window: number }): JSX.Element {
  const page = usePage()
  const field = useRef<HTMLInputElement>(null)
  const [isWrong, setWrong] = useState(false)
  const shown = page.windows.includes(window) ? '' : lengthText(window)
  const { windowLeast: least, windowMost: most } = page
  const range = `${spanText(least)} to ${spanText(most)}`
  const restore = (): void => {
    if (field.current) field.current.value = shown
    setWrong(false)
  }
  // Only another window is written over what is being typed.
  useLayoutEffect(restore, [shown])
  const take = (): void => {
    const text = field.current?.value.trim() ?? ''
    if (text === '' || text === shown) {
      restore()
      return
    }
    const seconds = parseLength(text)
    if (seconds === undefined || seconds < least || seconds > most) {
      setWrong(true)
      page.announce(`Not a window: write ${range}, as 45 s or 7 min`)
      return
    }
    setWrong(false)
    page.chooseWindow(seconds)
  }
  return (
    <input
      ref={field}
      class={shown === '' ? 'other-window' : 'other-window on'}
      type="text"
      aria-label="Other window"
      aria-invalid={isWrong}
      title={`Any window from ${range}: 45 s, 7:30, 2 d`}
      placeholder="other"
      autoComplete="off"
      spellcheck={false}
      defaultValue={shown}
      onChange={take}
      onBlur={restore}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        restore()
        event.currentTarget.blur()
      }}
    />
  )
}

export function WindowChoice({ window }: { window: number }): JSX.Element {
  const page = usePage()
  return (
    <div class="segments windows">
      <div class="segments-inside" role="radiogroup" aria-label="Time window">
        {page.windows.map((seconds) => (
          // biome-ignore lint/a11y/useSemanticElements: drawn as one control with its neighbours
          <button
            key={seconds}
            type="button"
            role="radio"
            aria-checked={window === seconds}
            onClick={() => page.chooseWindow(seconds)}
          >
            {windowText(seconds)}
          </button>
        ))}
      </div>
      <OtherWindow window={window} />
    </div>
  )
}
