/** At most one banner, the worst; it pushes the page down and never floats. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { lesserNotice, type Notice, worstNotice } from '../../viewer/format/notice.ts'
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

function outcomeNotice({ outcome }: Page): Outcome | undefined {
  const words = outcome.value
  return words === '' ? undefined : { key: `outcome ${words}`, manner: 'plain', words }
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
  const [dismissed, dismiss] = useState('')
  const { store } = page
  const notice = worstNotice(store) ?? outcomeNotice(page) ?? lesserNotice(store)
  const isShown = notice !== undefined && notice.key !== dismissed
  return (
    <>
      <div class="hidden-text" role="alert">
        {notice?.alert}
      </div>
      {isShown && (
        <section class={`banner ${notice.manner}`} aria-label="Notice">
          {notice.manner !== 'plain' && <Icon name="warn" />}
          <span class="grow words">{notice.words}</span>
          {notice.about !== undefined && <Action about={notice.about} />}
          <button
            type="button"
            class="icon"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.key)}
          >
            <Icon name="close" />
          </button>
        </section>
      )}
    </>
  )
}
