/** The choice of a time before, with which a series is compared; what shows both comes with it. */
import type { JSX } from 'preact'
import { spanText } from '../../viewer/format/time.ts'
import { SERIES } from '../series/address.ts'
import { lazy } from '../shell/lazy.tsx'
import { usePage } from '../shell/page.ts'
import { Pick } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import { Swatch } from './sides.tsx'

const DAY = 86_400
/** Offered distances of the two windows, seconds. */
const DISTANCES = [10, 30, 60, 120, 300, 600, 900, 3600, DAY, 7 * DAY] as const

/** Both windows of a series, once their code is there. */
export const TwoWindows = lazy(
  async () => (await import('./two-windows.tsx')).TwoWindows,
  ({ again }) => (
    <p class="soft" role="alert">
      The hub did not send the code of the comparison.{' '}
      <button type="button" class="link" onClick={again}>
        Try now
      </button>
    </p>
  ),
)

/** Names a distance where it is offered. */
function distanceText(seconds: number): string {
  if (seconds === DAY) return 'same time yesterday'
  if (seconds === 7 * DAY) return 'same time a week before'
  return `${spanText(seconds)} before`
}

/** Offers windows to compare with: as far back as the hub keeps a whole one, in whole steps. */
export function CompareWith({ before }: { before: number }): JSX.Element {
  const { navigation, store, windowMost } = usePage()
  const { window, step } = store.clock
  const room = windowMost - window.value
  const distances: number[] = DISTANCES.filter((each) => each <= room && each % step.value === 0)
  // a link may carry any other one
  if (before > 0 && !distances.includes(before)) distances.push(before)
  const choices = distances
    .sort((a, b) => a - b)
    .map((each) => [String(each), distanceText(each)] as const)
  return (
    <div class="compared">
      <span>
        {before > 0 && <Swatch side={1} />}
        <Pick
          caption="Compare with"
          value={String(before)}
          choices={[['0', 'nothing'], ...choices]}
          choose={(each) => navigation.go(to(SERIES, { before: Number(each) }))}
        />
      </span>
    </div>
  )
}
