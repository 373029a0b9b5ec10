/** The key of a line: its colour, name and value; a click hides it, dragging puts it elsewhere. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Line } from '../../../../model/board/line/line.ts'
import { colorOf } from '../../../../model/board/plots.ts'
import { Name, setTitle } from '../../../../web/shell/parts.tsx'
import type { ScopeSession } from '../session/session.ts'

/** Type of what is dragged: the name of a line. */
export const DRAGGED = 'application/x-pentameter-line'

interface LineKeyProps {
  readonly session: ScopeSession
  readonly line: Line
  /** Whether lines are too many to be told apart by dashes. */
  readonly isCrowded: boolean
}

export function LineKey({ session, line, isCrowded }: LineKeyProps): JSX.Element {
  const { color, isDashed } = colorOf(line)
  const isShown = !session.shown.hidden.includes(line.key)
  const button = useRef<HTMLButtonElement>(null)
  const toggle = (): void => {
    const others = session.shown.hidden.filter((key) => key !== line.key)
    session.change({ hidden: isShown ? [...others, line.key] : others })
  }
  // all digits are written when they are looked at: a title for each change would cost a frame
  const tellAll = (): void => {
    const value = session.board.valueAt(line, session.cursorTime())
    const words = Number.isNaN(value) ? 'no value' : `${value} ${line.about.unit ?? ''}`
    setTitle(button.current, `${line.name} = ${words.trim()}`)
  }
  return (
    <button
      ref={button}
      type="button"
      class={isDashed && !isCrowded ? 'key dashed' : 'key'}
      aria-pressed={isShown}
      style={{ '--swatch': color }}
      draggable
      onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, line.name)}
      onPointerEnter={tellAll}
      onFocus={tellAll}
      onClick={toggle}
    >
      <span class="cut">
        <Name text={session.following.captionOf(line.name)} />
      </span>
      <b class="follows" />
    </button>
  )
}
