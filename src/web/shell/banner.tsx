/**
 * One banner, the worst, and how many others there are, which it unfolds. It pushes the page down
 * and never floats.
 */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { lesserNotices, type Notice, worstNotices } from '../../viewer/format/notice.ts'
import { SOURCES } from '../sources/address.ts'
import { Icon } from './icon.tsx'
import { type Page, usePage } from './page.ts'
import { Link } from './parts.tsx'
import { to } from './route.ts'

/** Notice of the page itself: what came of something that was done. */
interface Outcome extends Pick<Notice, 'key' | 'words' | 'alert'> {
  readonly about?: undefined
  readonly manner: 'plain'
}

type Shown = Notice | Outcome

function outcomeNotices({ outcome }: Page): readonly Outcome[] {
  const words = outcome.value
  return words === '' ? [] : [{ key: `outcome ${words}`, manner: 'plain', words }]
}

/** Words of the link to the sources, by what it is about. */
const LINKS: Partial<Record<Notice['about'], string>> = {
  listener: 'Show sources',
  overload: 'Show limits',
  peer: 'Show sources',
  limit: 'Show what was refused',
}

/** Offers what to do about it. */
function Action({ about }: Pick<Notice, 'about'>): JSX.Element | null {
  const { store } = usePage()
  if (about === 'connection') {
    return (
      <button type="button" class="link small" onClick={() => store.retryNow()}>
        Try now
      </button>
    )
  }
  const words = LINKS[about]
  if (words === undefined) return null
  return (
    <Link to={to(SOURCES)} class="link small">
      {words}
    </Link>
  )
}

export function Banner(): JSX.Element {
  const page = usePage()
  // Waiting times count down.
  page.store.clock.tick.value
  const [dismissed, setDismissed] = useState<readonly string[]>([])
  const [isUnfolded, unfold] = useState(false)
  const { store } = page
  const all: readonly Shown[] = [
    ...worstNotices(store),
    ...outcomeNotices(page),
    ...lesserNotices(store),
  ]
  const shown = all.filter(({ key }) => !dismissed.includes(key))
  const dismiss = (key: string): void => {
    // what is no more may come again
    setDismissed([...dismissed.filter((each) => all.some((other) => other.key === each)), key])
  }
  const others = shown.length - 1
  return (
    <>
      <div class="hidden-text" role="alert">
        {all[0]?.alert}
      </div>
      {shown.slice(0, isUnfolded ? shown.length : 1).map((notice, i) => (
        <Row key={notice.key} notice={notice} dismiss={() => dismiss(notice.key)}>
          {i === 0 && others > 0 && (
            <button
              type="button"
              class="link small others"
              aria-expanded={isUnfolded}
              onClick={() => unfold(!isUnfolded)}
            >
              {isUnfolded ? 'Only this' : `${others} more`}
            </button>
          )}
        </Row>
      ))}
    </>
  )
}

interface RowProps {
  readonly notice: Shown
  readonly dismiss: () => void
  readonly children: ComponentChildren
}

function Row({ notice, dismiss, children }: RowProps): JSX.Element {
  return (
    <section class={`banner ${notice.manner}`} aria-label="Notice">
      {notice.manner !== 'plain' && <Icon name="warn" />}
      <span class="grow words">{notice.words}</span>
      {notice.about !== undefined && <Action about={notice.about} />}
      {children}
      <button type="button" class="icon" aria-label="Dismiss" onClick={dismiss}>
        <Icon name="close" />
      </button>
    </section>
  )
}
