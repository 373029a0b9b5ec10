/** Small parts that several views share: links, readings, copy buttons, panels, facts. */
import type { ComponentChildren, JSX, Ref } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { shownName } from '../../viewer/format/name.ts'
import { NO_BREAK_SPACE, type Quantity } from '../../viewer/format/number.ts'
import { Icon } from './icon.tsx'
import { usePage } from './page.ts'
import type { Destination } from './view.ts'

interface LinkProps {
  readonly to: Destination
  readonly class?: string
  readonly title?: string
  readonly current?: boolean
  readonly label?: string
  readonly children: ComponentChildren
}

/** Shows a link within the page: a real address, followed without loading the page anew. */
export function Link({ to, current, label, children, ...rest }: LinkProps): JSX.Element {
  const { navigation } = usePage()
  const follow = (event: MouseEvent): void => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!isPlain || event.altKey) return
    event.preventDefault()
    navigation.go(to)
  }
  return (
    <a
      {...rest}
      href={navigation.link(to)}
      onClick={follow}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
    >
      {children}
    </a>
  )
}

/** Shows a name as text; one that shows nothing is said to be blank. */
export function Name({ text }: { text: string }): ComponentChildren {
  return text.trim() === '' ? <span class="soft">(blank)</span> : shownName(text)
}

/** Shows why there is no list of series yet; nothing once there is one. */
export function NoList(): JSX.Element | null {
  const { catalogue } = usePage().store
  const reason = catalogue.refusal.value
  if (catalogue.isLoaded || reason === undefined) return null
  return (
    <p class="group soft">
      The hub has not given its list of series: {reason}. The page goes on asking.
    </p>
  )
}

/** Writes only what changed: keeps a selection, and spares a layout. */
export function setText(element: Element | null | undefined, text: string): void {
  const words = escapeUnseen(text)
  if (element && element.textContent !== words) element.textContent = words
}

/** Writes a title only where it changed. */
export function setTitle(element: HTMLElement | null | undefined, text: string): void {
  const words = escapeUnseen(text)
  if (element && element.title !== words) element.title = words
}

/** Writes a quantity into an element that renders no children of its own. */
export function setQuantity(element: Element | null | undefined, value: Quantity): void {
  if (!element) return
  const [number, unit] = value
  const words = unit === '' ? '' : NO_BREAK_SPACE + escapeUnseen(unit)
  if (element.childNodes.length === 0) {
    const span = document.createElement('span')
    span.className = 'unit'
    element.append(document.createTextNode(''), span)
  }
  const [first, second] = element.childNodes
  if (first && first.nodeValue !== number) first.nodeValue = number
  if (second && second.textContent !== words) second.textContent = words
}

interface ReadingParts {
  readonly caption: string
  readonly main: Quantity
  /** All digits. */
  readonly title: string
}

/** Makes a value that the frame writes, tick by tick, without rendering anything anew. */
export function useReading(className: string): [JSX.Element, (reading: ReadingParts) => void] {
  const caption = useRef<HTMLSpanElement>(null)
  const number = useRef<HTMLSpanElement>(null)
  const unit = useRef<HTMLSpanElement>(null)
  const box = useRef<HTMLSpanElement>(null)
  const element = (
    <span class={className} ref={box}>
      <span class="cap" ref={caption} />
      <span ref={number}>–</span>
      <span class="unit" ref={unit} />
    </span>
  )
  const write = (reading: ReadingParts): void => {
    const [digits, name] = reading.main
    setText(caption.current, reading.caption)
    setText(number.current, digits)
    setText(unit.current, name === '' ? '' : NO_BREAK_SPACE + name)
    setTitle(box.current, reading.title)
  }
  return [element, write]
}

/** Time for which a button shows that it has copied. */
const COPIED_MS = 1200

export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const page = usePage()
  const [isDone, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    page.announce(`Copied ${what}`)
    setTimeout(() => setDone(false), COPIED_MS)
  }
  const name = `Copy ${what}`
  return (
    <button
      type="button"
      class={isDone ? 'copy done' : 'copy'}
      aria-label={name}
      title={name}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
    </button>
  )
}

interface PanelProps {
  readonly title: string
  readonly note?: ComponentChildren
  readonly isNoteRight?: boolean
  /** Buttons at the end of its head. */
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

export function Section({ title, note, isNoteRight, tools, children }: PanelProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && (
          <span class={isNoteRight ? 'small muted right' : 'small muted'}>{note}</span>
        )}
        {tools !== undefined && <span class="tools">{tools}</span>}
      </header>
      {children}
    </section>
  )
}

export type Fact = readonly [name: string, value: ComponentChildren]

export function Facts({
  facts,
  isWide,
}: {
  facts: readonly Fact[]
  isWide?: boolean
}): JSX.Element {
  return (
    <dl class={isWide ? 'facts two' : 'facts'}>
      {facts.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}=`}>{isWide ? breakable(value) : value}</dd>,
      ])}
    </dl>
  )
}

/** Lets a quantity break before a long unit rather than within it: halves of a list are narrow. */
function breakable(value: ComponentChildren): ComponentChildren {
  return typeof value === 'string' ? value.replaceAll(NO_BREAK_SPACE, ' ') : value
}

/** Shows a region that scrolls inside itself, by keyboard too. */
export function Scroll({
  label,
  box,
  children,
  ...rest
}: {
  readonly label: string
  readonly class?: string
  readonly box?: Ref<HTMLElement>
  readonly onScroll?: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the keyboard
    <section ref={box ?? null} class="scroll" tabIndex={0} aria-label={label} {...rest}>
      {children}
    </section>
  )
}

/** Shows a state as a word and a shape. */
const BADGE_TONES: Readonly<Record<string, string>> = {
  'dot error': 'error',
  'dot unusual': 'warn',
}

export function Badge({ words, dot }: { words: string; dot: string }): JSX.Element {
  return (
    <span class={`badge ${BADGE_TONES[dot] ?? ''}`}>
      <span class={dot} aria-hidden="true" />
      {words}
    </span>
  )
}

export interface TableProps {
  readonly label: string
  readonly heads: readonly string[]
  /** Numbers of the columns that are right-aligned. */
  readonly numeric: readonly number[]
  readonly children: ComponentChildren
}

/** Shows a table that scrolls inside itself. */
export function Table({ children, ...frame }: TableProps): JSX.Element {
  return (
    <TableFrame {...frame}>
      <tbody>{children}</tbody>
    </TableFrame>
  )
}

/** Shows what is around the bodies of such a table. */
export function TableFrame({ label, heads, numeric, children }: TableProps): JSX.Element {
  return (
    <Scroll label={`${label}, table`}>
      <table>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th key={head} class={numeric.includes(i) ? 'num' : ''} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </Scroll>
  )
}

interface PickProps {
  readonly caption: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, words: string])[]
  readonly choose: (value: string) => void
}

/** Shows a choice in a line of controls. */
export function Pick({ caption, value, choices, choose }: PickProps): JSX.Element {
  return (
    <label class="pick">
      <span>{caption}</span>
      <select aria-label={caption} value={value} onChange={(e) => choose(e.currentTarget.value)}>
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
