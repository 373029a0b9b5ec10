/** The keys, and the switch that turns single keys off (WCAG 2.1.4). */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { usePage } from '../shell/page.ts'
import { setSingles } from './key-actions.ts'
import { type Keys, keyHelp } from './keys.ts'

function KeyNames({ keys }: { keys: string }): JSX.Element {
  return (
    <>{keys.split(' ').map((key) => (key === '…' ? ' … ' : [<kbd key={key}>{key}</kbd>, ' ']))}</>
  )
}

export function Help({ keys }: { keys: Keys }): JSX.Element {
  const { screens, isHelpShown } = usePage()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label="Keyboard"
      onClose={() => {
        isHelpShown.value = false
      }}
    >
      <div class="top">
        <h2 class="grow">Keyboard</h2>
        <button
          type="button"
          class="icon"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="columns">
        {keyHelp(screens).map(({ title, keys: list }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {list.map(([names, what]) => [
                <dt key={names}>
                  <KeyNames keys={names} />
                </dt>,
                <dd key={what} class="soft">
                  {what}
                </dd>,
              ])}
            </dl>
          </section>
        ))}
      </div>
      <label class="setting">
        <input
          type="checkbox"
          checked={keys.areSinglesOn.value}
          onChange={(event) => setSingles(keys, event.currentTarget.checked)}
        />
        Single keys. They do nothing while a text field has the focus.
      </label>
    </dialog>
  )
}
