/**
 * Counters of one name: a source may have two, which arrive as two payloads of each interval, and a
 * meter two instruments (§7, §9). The first one keeps the name; to add up both would be wrong for
 * all but sums.
 */
import type { NetTraceEvent } from '../../codec/event.ts'
import type { Reading } from '../../map.ts'

/** Names that are watched; of further ones nothing is noticed. */
const NAMES_LIMIT = 65_536
/** Part of an interval within which a second payload of the same length is of the same interval. */
const SAME_INTERVAL = 0.5
/** Intervals without a value of the first instrument, until the second one has the name. */
const INTERVALS_LEFT = 3

/** The counter or instrument that has a name. */
interface Owner {
  instrument: number
  /** Length of its last interval, seconds; NaN for instruments. */
  intervalSec: number
  /** Time of its last value, ms. */
  timeMs: number
}

export class Duplicates {
  readonly #owners = new Map<string, Owner>()
  /** Interval of meters as they come, ms. */
  #meterMs = 1000

  /**
   * Tells whether a reading is of a second counter of its name; takes note of it otherwise.
   * @param timeMs time of the event
   */
  has(reading: Reading, event: NetTraceEvent, timeMs: number): boolean {
    const isMeter = reading.sessionId !== undefined
    const key = keyOf(reading, isMeter)
    const id = isMeter ? event.payload?.instrumentId : 0
    const instrument = typeof id === 'number' ? id : 0
    const { intervalSec } = reading
    const owner = this.#owners.get(key)
    if (owner === undefined) {
      if (this.#owners.size < NAMES_LIMIT) {
        this.#owners.set(key, { instrument, intervalSec, timeMs })
      }
      return false
    }
    const passedMs = timeMs - owner.timeMs
    const isOther = instrument !== owner.instrument
    const isDuplicate = isMeter
      ? isOther && passedMs < INTERVALS_LEFT * this.#meterMs
      : intervalSec === owner.intervalSec && passedMs < SAME_INTERVAL * 1000 * intervalSec
    if (isDuplicate) return true
    if (isMeter && !isOther && passedMs > 0) this.#meterMs = passedMs
    owner.instrument = instrument
    owner.intervalSec = intervalSec
    owner.timeMs = timeMs
    return false
  }
}

/** Makes a text that is equal for equal names and labels; each part with its length in front. */
function keyOf({ identity, values }: Reading, isMeter: boolean): string {
  const { name, labels } = identity
  const kind = values.kind === 'counter' ? 'c' : 'v'
  let key = `${isMeter ? 'm' : 'e'}${kind}${name.length}:${name}`
  for (const [label, value] of labels) {
    key += `,${label.length}:${label}${value.length}:${value}`
  }
  return key
}
