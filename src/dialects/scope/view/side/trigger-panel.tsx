/** The trigger: thresholds of one line at a time, those that are set, and what they caught. */

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { boardValueText } from '../../../../model/board/captions.ts'
import type { TriggerOption } from '../../../../model/board/options.ts'
import type { TriggerEvent } from '../../../../model/board/trigger.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { clockText } from '../../../../viewer/format/time.ts'
import { Name } from '../../../../web/shell/parts.tsx'
import type { ScopeSession } from '../session/session.ts'
import { Choose, NumberField, SetRow } from './fields.tsx'
import { linesOf, withAbsent } from './lines.ts'

export function TriggerPanel({ session }: { session: ScopeSession }): JSX.Element {
  const chosen = useSignal('')
  session.events.value
  const { triggers } = session.shown
  const lines = linesOf(session)
  const isThere = (key: string): boolean => lines.some(([each]) => each === key)
  const key = isThere(chosen.value) ? chosen.value : (triggers[0]?.key ?? lines[0]?.[0] ?? '')
  const set = triggers.find((each) => each.key === key) ?? { key, below: null, above: null }
  const others = triggers.filter((each) => each.key !== key)
  const put = (change: Partial<TriggerOption>): void => {
    const next = { ...set, ...change }
    const isNone = next.below === null && next.above === null
    session.change({ triggers: isNone ? others : [...others, next] })
  }
  return (
    <section aria-label="Trigger">
      <div class="row">
        <h2 class="grow">Trigger</h2>
        {session.board.events.latched !== undefined && (
          <button type="button" class="link" onClick={() => session.clearEvent()}>
            clear
          </button>
        )}
      </div>
      <Choose
        label="Line of the trigger"
        value={key}
        choices={withAbsent(lines, key)}
        choose={(next) => {
          chosen.value = next
        }}
      />
      <div class="duo">
        <NumberField
          caption="below"
          label="Trigger below"
          value={set.below}
          take={(below) => put({ below })}
        />
        <NumberField
          caption="above"
          label="Trigger above"
          value={set.above}
          take={(above) => put({ above })}
        />
      </div>
      {others.length > 0 && (
        <ul>
          {others.map((each) => (
            <SetRow
              key={each.key}
              words={thresholdWords(each)}
              removeLabel={`Remove the trigger of ${each.key}`}
              remove={() => session.change({ triggers: triggers.filter((one) => one !== each) })}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function thresholdWords({ key, below, above }: TriggerOption): string {
  const parts = [below !== null && `≤ ${below}`, above !== null && `≥ ${above}`]
  return `${key} ${parts.filter(Boolean).join(' or ')}`
}

const TENTH_MS = 100

/** Writes the time of an event, with tenths of seconds. */
export function eventTime(session: ScopeSession, { t }: TriggerEvent): string {
  const ms = session.board.originMs + t * 1000
  return `${clockText(ms)}.${Math.floor((ms % 1000) / TENTH_MS)}`
}

export function eventName(session: ScopeSession, { key }: TriggerEvent): string {
  return shownName(session.board.lineOf(key)?.name ?? key)
}

export function eventValue(session: ScopeSession, { key, value }: TriggerEvent): string {
  return boardValueText(value, session.board.lineOf(key)?.about.unit)
}

export function EventsPanel({ session }: { session: ScopeSession }): JSX.Element {
  session.events.value
  const { events } = session.board
  const list = [...events.list].reverse()
  const shown = events.shown
  // one line alone has its name above, in the trigger
  const isNamed = list.some(({ key }) => key !== list[0]!.key)
  return (
    <section aria-label="Events">
      <div class="row">
        <h2 class="grow">Events</h2>
        <span class="muted">{list.length === 0 ? 'none yet' : 'last 10 min'}</span>
      </div>
      <ul class="events">
        {list.map((event) => (
          <li key={`${event.t} ${event.key}`}>
            <button
              type="button"
              class="event-row"
              aria-current={event === shown ? 'true' : undefined}
              title="Show it in the middle"
              onClick={() => session.showEvent(event)}
            >
              <span>{eventTime(session, event)}</span>
              {isNamed && (
                <span class="cut">
                  <Name text={eventName(session, event)} />
                </span>
              )}
              <span>{eventValue(session, event)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
