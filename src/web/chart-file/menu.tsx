/**
 * A button with a menu: opened by click, Enter or arrow down, walked through by arrows, closed by
 * Escape, by a click elsewhere and by a choice. What it holds is there while it is open.
 */
import type { JSX } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'

export interface MenuItem {
  readonly words: string
  /** Key that does the same. */
  readonly keys?: string
  readonly act: () => void
}

interface MenuProps {
  readonly class?: string
  /** Name of the button: what the items are for. */
  readonly label: string
  /** Gives the items when it is opened. */
  readonly items: () => readonly MenuItem[]
}

/** Gap to the button, and to the edges of the window, in CSS pixels. */
const GAP = 4

/** Places the list below its button, or above it where there is no room. */
function place(list: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect()
  const { width, height } = list.getBoundingClientRect()
  const isBelow = from.bottom + GAP + height <= innerHeight
  list.style.left = `${Math.max(GAP, Math.min(innerWidth - width - GAP, from.right - width))}px`
  list.style.top = `${isBelow ? from.bottom + GAP : Math.max(GAP, from.top - GAP - height)}px`
}

interface OpenMenuProps extends MenuProps {
  readonly id: string
  readonly button: HTMLElement
  readonly close: () => void
}

function OpenMenu({ id, label, items, button, close }: OpenMenuProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  // Before the next key, which is meant for the list.
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    element.showPopover()
    place(element, button)
    element.querySelector('button')?.focus()
    const onToggle = (event: Event): void => {
      if ((event as ToggleEvent).newState === 'closed') close()
    }
    // It stands at its button: when that moves away, it goes.
    const onScroll = ({ target }: Event): void => {
      if (target !== element) element.hidePopover()
    }
    element.addEventListener('toggle', onToggle)
    addEventListener('scroll', onScroll, true)
    return () => {
      element.removeEventListener('toggle', onToggle)
      removeEventListener('scroll', onScroll, true)
    }
  }, [])
  const step = (by: number | 'first' | 'last'): void => {
    const all = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    const next = by === 'first' ? 0 : by === 'last' ? all.length - 1 : at + by
    all[(next + all.length) % all.length]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: 'first', End: 'last' } as const
    const by = (steps as Readonly<Record<string, number | 'first' | 'last' | undefined>>)[event.key]
    if (event.key === 'Tab') list.current?.hidePopover()
    // Keys of the page are not meant while a menu is open.
    event.stopPropagation()
    if (by === undefined) return
    event.preventDefault()
    step(by)
  }
  return (
    <div
      ref={list}
      id={id}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={label}
      {...{ onKeyDown }}
    >
      {items().map(({ words, keys, act }) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            list.current?.hidePopover()
            act()
          }}
        >
          <span class="grow">{words}</span>
          {keys !== undefined && <kbd>{keys}</kbd>}
        </button>
      ))}
    </div>
  )
}

export function Menu({ label, items, ...rest }: MenuProps): JSX.Element {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  // How often it was opened when it is open, else 0: a list that is hidden stays until its event
  // says so, and what opens the menu before that gets a list of its own.
  const [opened, setOpened] = useState(0)
  const times = useRef(0)
  const isOpen = opened > 0
  const open = (): void => setOpened(++times.current)
  const close = (which: number): void => {
    const hadFocus = document.activeElement === document.body
    setOpened((now) => (now === which ? 0 : now))
    if (hadFocus) button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`more ${rest.class ?? ''}`}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={({ detail }) => {
          // The press of a pointer on an open menu's button has just closed it, as was meant.
          const isPointer = detail > 0
          if (!isOpen || !isPointer) open()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          open()
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen && button.current && (
        <OpenMenu
          key={opened}
          {...{ id, label, items }}
          close={() => close(opened)}
          button={button.current}
        />
      )}
    </>
  )
}
