/** Jump to anything by typing some of it (Ctrl K): a combobox over views, sources and series. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { exact } from '../../viewer/format/number.ts'
import { Icon } from '../shell/icon.tsx'
import { usePage } from '../shell/page.ts'
import type { JumpTarget } from '../shell/view.ts'
import { find } from './search.ts'
import {
  actionTargets,
  orderedEntries,
  seriesTarget,
  sourceTargets,
  type Target,
  viewTargets,
} from './targets.ts'

/** Rows that are made; all that match are counted. */
const SHOWN = 60
const LIST_ID = 'jump-list'
const PAGE_ROWS = 10

/** Gets the places that views offer: hooks, called for all views in their order. */
function useOffered(): readonly JumpTarget[] {
  return usePage().views.flatMap((view) => view.useJumpTargets?.() ?? [])
}

function* both(first: readonly Target[], then: () => Iterable<Target>): Iterable<Target> {
  yield* first
  yield* then()
}

function Row({
  target,
  at,
  isChosen,
  choose,
}: {
  readonly target: Target
  readonly at: number
  readonly isChosen: boolean
  readonly choose: () => void
}): JSX.Element {
  const { icon, words, labels = '', note } = target
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's, which has the focus
    <div
      role="option"
      id={`${LIST_ID}-${at}`}
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={choose}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      <Icon name={icon} />
      <span class="what cut" title={`${words} ${labels}`.trim()}>
        {words}
        {labels !== '' && <span class="muted">{` ${labels}`}</span>}
      </span>
      <span class="small muted cut">{note}</span>
    </div>
  )
}

function Hints({ count }: { count: number }): JSX.Element {
  return (
    <footer class="small muted">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> choose
      </span>
      <span>
        <kbd>Enter</kbd> open
      </span>
      <span>
        <kbd>Esc</kbd> close
      </span>
      <span class="grow" />
      <span role="status">
        {count > SHOWN ? `first ${SHOWN} of ${exact(count)}` : `${exact(count)} found`}
      </span>
    </footer>
  )
}

export function Jump({ setSingles }: { setSingles: (isOn: boolean) => void }): JSX.Element {
  const page = usePage()
  const { store, isJumpShown } = page
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const offered = useOffered()
  const version = store.catalogue.version.value
  const entries = useMemo(() => orderedEntries(page), [page, version])
  const fixed = [
    ...viewTargets(page, offered),
    ...sourceTargets(page),
    // Actions are there for those who look for them.
    ...(query.trim() === '' ? [] : actionTargets(page, setSingles)),
  ]
  const { shown, count } = find(
    query,
    both(fixed, function* () {
      for (const entry of entries) yield seriesTarget(page, entry)
    }),
    SHOWN,
  )
  const chosen = Math.min(at, shown.length - 1)
  useEffect(() => {
    dialog.current?.showModal()
    const typed = page.takeTyped()
    if (field.current === null || typed === '') return
    field.current.value = typed
    setQuery(typed)
  }, [page])
  useEffect(() => {
    document.getElementById(`${LIST_ID}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, query])
  // At once: a key that asks for it again may come before the event that it has closed.
  const close = (): void => {
    dialog.current?.close()
    isJumpShown.value = false
  }
  const choose = (target: Target | undefined): void => {
    if (target === undefined) return
    close()
    const { pathname } = location
    target.go()
    // of another place its heading gets the focus, as behind a link
    if (location.pathname !== pathname) (document.activeElement as HTMLElement | null)?.blur()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS },
    }
    const by = steps[event.key]
    if (event.key === 'Enter') choose(shown[chosen])
    else if (by === undefined) return
    else setAt(Math.max(0, Math.min(shown.length - 1, chosen + by)))
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every dialog
    <dialog
      ref={dialog}
      class="jump"
      aria-label="Jump to"
      onCancel={close}
      onClose={({ currentTarget }) => {
        // of one that is gone, another may be there
        if (currentTarget === dialog.current) isJumpShown.value = false
      }}
      onClick={(event) => {
        // Beside it, on what it covers.
        if (event.target === dialog.current) close()
      }}
    >
      <div class="field">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          placeholder="Series, source, view or action"
          aria-label="Jump to"
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${LIST_ID}-${chosen}` : undefined}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => {
            setQuery(event.currentTarget.value)
            setAt(0)
          }}
          {...{ onKeyDown }}
        />
      </div>
      <div class="found" id={LIST_ID} role="listbox" aria-label="Matches">
        {shown.map((target, i) => (
          <Row
            key={target.key}
            at={i}
            isChosen={i === chosen}
            choose={() => choose(target)}
            {...{ target }}
          />
        ))}
      </div>
      {shown.length === 0 && (
        <p class="nothing muted">No series, source, view or action has these words.</p>
      )}
      <Hints count={count} />
    </dialog>
  )
}
