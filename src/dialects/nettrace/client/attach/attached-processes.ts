/**
 * The processes of one address: those that are read from, and for some time those that are gone. A
 * process that comes back under its name goes on with the series of the one before it.
 */
import { LinkState } from '../../../../time/link-state.ts'
import type { ChosenPeer, SourceContext } from '../../../endpoints.ts'
import type { ProcessFacts } from '../../codec/ipc/messages.ts'
import type { CounterRequest } from '../counters/providers.ts'
import type { ProcessDoor } from '../door.ts'
import { SCHEME } from './address.ts'
import { AttachedProcess, programOf } from './attached-process.ts'
import type { ProcessClaims } from './claims.ts'
import { type ReadingsBudget, ReceivedReadings } from './received-readings.ts'

/** Time for which a process that is gone is shown where others are there, ms. */
const GONE_SHOWN_MS = 60_000
/** Processes that are gone, at most; of more the oldest are forgotten. */
const GONE_LIMIT = 64

/** Everything of a name: of the process that has it, or had it last. */
interface Place {
  readonly link: LinkState
  readonly readings: ReceivedReadings
  process: AttachedProcess | undefined
  cookie: string
  /** Description of the process that had it last. */
  last: ChosenPeer | undefined
  goneMs: number
}

export interface ProcessesParts {
  readonly context: SourceContext
  readonly claims: ProcessClaims
  /** Request of every process; the version of its runtime comes from itself. */
  readonly request: CounterRequest
  readonly processesLimit: number
  /** Whether the last process that is gone is shown until one comes: it was asked for by name. */
  readonly keepsLast: boolean
}

/** Answer to a process that is to be read from. */
export type Adoption = 'adopted' | 'known' | 'full'

export class Processes {
  readonly #parts: ProcessesParts
  readonly #budget: ReadingsBudget
  readonly #places = new Map<string, Place>()

  constructor(parts: ProcessesParts) {
    this.#parts = parts
    this.#budget = { limit: parts.context.bytesLimit, used: 0 }
  }

  /** Processes that are read from. */
  get size(): number {
    let size = 0
    for (const { process } of this.#places.values()) if (process !== undefined) size++
    return size
  }

  /** Reads from a process, unless it is read from already, here or by another address. */
  adopt(door: ProcessDoor, facts: ProcessFacts, mayBeSuspended: boolean): Adoption {
    const { context, claims, request, processesLimit } = this.#parts
    if (this.size >= processesLimit) return 'full'
    const { cookie } = facts
    const label = claims.claim(cookie, programOf(facts))
    if (label === undefined) return 'known'
    const place = this.#placeOf(label)
    place.cookie = cookie
    place.process = new AttachedProcess({
      ...{ door, facts, label, context, mayBeSuspended },
      ...{ link: place.link, readings: place.readings },
      address: `${SCHEME}://${label}`,
      request: { ...request, clrVersion: facts.clrVersion },
    })
    return 'adopted'
  }

  /** Ends what is read from a process that is gone. */
  release(cookie: string, reason: string): void {
    for (const place of this.#places.values()) {
      const { process } = place
      if (process === undefined || place.cookie !== cookie) continue
      process.drop(reason)
      place.last = process.status()
      place.process = undefined
      place.goneMs = this.#parts.context.clock.wallMs()
      this.#parts.claims.release(cookie)
    }
    this.#forgetGone()
  }

  /** Describes all, those that are gone too. */
  statuses(): ChosenPeer[] {
    this.#forgetGone()
    const statuses: ChosenPeer[] = []
    for (const { process, last, link } of this.#places.values()) {
      if (process !== undefined) {
        process.report()
        statuses.push(process.status())
      } else if (last !== undefined) {
        statuses.push({ ...last, sinceMs: link.status.sinceMs, link: link.status })
      }
    }
    return statuses
  }

  async close(): Promise<void> {
    const all = [...this.#places.values()]
    await Promise.all(all.map(({ process }) => process?.close()))
    for (const { cookie, process } of all) {
      if (process !== undefined) this.#parts.claims.release(cookie)
    }
    this.#places.clear()
  }

  #placeOf(label: string): Place {
    const known = this.#places.get(label)
    if (known !== undefined) return known
    const { ingest, clock } = this.#parts.context
    const place: Place = {
      link: new LinkState(clock),
      readings: new ReceivedReadings(ingest, label, this.#budget),
      ...{ process: undefined, cookie: '', last: undefined, goneMs: 0 },
    }
    this.#places.set(label, place)
    return place
  }

  /** Forgets those that are gone for long, but for the last one that was asked for by name. */
  #forgetGone(): void {
    const { context, keepsLast } = this.#parts
    const nowMs = context.clock.wallMs()
    const gone = [...this.#places].filter(([, { process }]) => process === undefined)
    gone.sort(([, a], [, b]) => b.goneMs - a.goneMs)
    const isAlone = keepsLast && gone.length === this.#places.size
    gone.forEach(([label, place], i) => {
      if (isAlone && i === 0) return
      if (i < GONE_LIMIT && nowMs - place.goneMs < GONE_SHOWN_MS) return
      place.readings.close()
      this.#places.delete(label)
    })
  }
}
