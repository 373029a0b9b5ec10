/** Fields of the side column: numbers that may be empty, choices of lines and plots, sliders. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { parseNumber } from '../../../../model/board/options.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { usePage } from '../../../../web/shell/page.ts'

/** Longest name in a list of choices: what is cut is told by the caption of its plot. */
const CHOICE_LENGTH = 60

interface TextFieldProps {
  readonly caption: string
  /** Name for those who do not see what stands around it. */
  readonly label: string
  /** Text as it is now; another one replaces what is being typed. */
  readonly value: string
  readonly placeholder?: string
  /** Id of a list of suggestions. */
  readonly list?: string
  /** Says what is wrong with a text; undefined for one that can be taken. */
  readonly fault: (text: string) => string | undefined
  readonly take: (text: string) => void
}

/** Shows a field whose text is taken when it is left, or by Enter. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { caption, label, value, placeholder = '', list, fault, take } = props
  const page = usePage()
  const field = useRef<HTMLInputElement>(null)
  const [isWrong, setWrong] = useState(false)
  const restore = (): void => {
    if (field.current) field.current.value = value
    setWrong(false)
  }
  // the field itself stays, and with it the focus
  useLayoutEffect(restore, [value])
  const commit = (): void => {
    const text = field.current?.value.trim() ?? ''
    if (text === value) {
      setWrong(false)
      return
    }
    const words = fault(text)
    setWrong(words !== undefined)
    if (words === undefined) take(text)
    else page.announce(words)
  }
  return (
    <label class="field">
      <span>{caption}</span>
      <input
        ref={field}
        type="text"
        defaultValue={value}
        aria-label={label}
        aria-invalid={isWrong}
        placeholder={placeholder}
        {...(list === undefined ? {} : { list })}
        autoComplete="off"
        spellcheck={false}
        onChange={commit}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            restore()
            event.currentTarget.blur()
          }
        }}
      />
    </label>
  )
}

interface NumberFieldProps {
  readonly caption: string
  readonly label: string
  /** null = none. */
  readonly value: number | null
  readonly placeholder?: string
  /** Says what is wrong with a number. */
  readonly fault?: (value: number | null) => string | undefined
  readonly take: (value: number | null) => void
}

/** Shows a field for a number; empty is none. */
export function NumberField({ value, fault, take, ...rest }: NumberFieldProps): JSX.Element {
  const read = (text: string): number | null | undefined =>
    text === '' ? null : parseNumber(text.replace('\u2212', '-').replace(',', '.'))
  return (
    <TextField
      {...rest}
      value={value === null ? '' : String(value)}
      fault={(text) => {
        const number = read(text)
        return number === undefined
          ? 'Not a number: write 9.5 or 1e-3, or nothing'
          : fault?.(number)
      }}
      take={(text) => take(read(text) ?? null)}
    />
  )
}

export type Choice = readonly [value: string, words: string]

interface ChooseProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly choose: (value: string) => void
}

/** Shows a choice as wide as the column. */
export function Choose({ label, value, choices, choose }: ChooseProps): JSX.Element {
  return (
    <select
      class="choose"
      aria-label={label}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {cut(words)}
        </option>
      ))}
    </select>
  )
}

function cut(words: string): string {
  const shown = shownName(words)
  return shown.length > CHOICE_LENGTH ? `${shown.slice(0, CHOICE_LENGTH - 1)}…` : shown
}

interface SliderProps {
  readonly caption: string
  /** Value in words. */
  readonly words: string
  readonly min: number
  readonly max: number
  readonly step: number
  readonly value: number
  /** Called while it is dragged. */
  readonly preview: (value: number) => void
  readonly take: (value: number) => void
}

export function Slider(props: SliderProps): JSX.Element {
  const { caption, words, min, max, step, value, preview, take } = props
  return (
    <label class="slider">
      <span class="row">
        <span class="grow soft">{caption}</span>
        <span>{words}</span>
      </span>
      <input
        type="range"
        {...{ min, max, step, value }}
        aria-label={caption}
        aria-valuetext={words}
        onInput={(event) => preview(event.currentTarget.valueAsNumber)}
        onChange={(event) => take(event.currentTarget.valueAsNumber)}
      />
    </label>
  )
}

interface SetRowProps {
  /** Words of what is set. */
  readonly words: string
  readonly removeLabel: string
  readonly remove: () => void
}

/** Shows something that is set, and a button that takes it back. */
export function SetRow({ words, removeLabel, remove }: SetRowProps): JSX.Element {
  return (
    <li class="set-row">
      <span class="cut" title={shownName(words)}>
        {cut(words)}
      </span>
      <button type="button" class="link" aria-label={removeLabel} onClick={remove}>
        remove
      </button>
    </li>
  )
}
