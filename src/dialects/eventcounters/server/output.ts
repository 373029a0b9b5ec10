/**
 * What one session sends: a boundary whole or not at all, in a bounded buffer, and an empty line
 * when there was nothing to say for long (eventcounters.md §2, §6).
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../time/clock.ts'
import { SilenceWatch } from '../../../time/silence.ts'
import type { Profile } from '../../decoder.ts'
import { boundaryText } from '../codec/line.ts'
import type { Boundary } from './counter-source.ts'

export interface OutputLimits {
  /** Bytes that wait for one client. */
  readonly outputBytes: number
  /** Boundaries skipped one after the other at which a client is given up. */
  readonly skippedInARow: number
  /** Silence after which an empty line is sent, milliseconds. */
  readonly keepAliveMs: number
}

interface OutputParts {
  readonly profile: Profile
  /** Whether the client wants the marks of counters, too. */
  readonly hasMarks: boolean
  readonly clock: Clock
  readonly limits: OutputLimits
  /** Calls back when there is time to spell a part; after the rest of the event loop by default. */
  readonly inTurn?: (spell: () => void) => void
  /** Called when a boundary was left out. */
  onSkipped(): void
  /** Called when too many in a row were; nothing is sent any more. */
  onStalled(): void
}

/**
 * Line that is written when nothing was sent for long, so that a client can tell silence from
 * death.
 */
const KEEP_ALIVE = '\n'
/** Size that is spelled at once of a boundary: some 8 ms of work. */
const BEGINNING_BYTES = 262_144
/** The same of its rest, in turns of the event loop. */
const PART_BYTES = 65_536
/** Lines between two looks at how much room is left. */
const SPELLED_AT_ONCE = 64

export class SessionOutput {
  readonly #outgoing: ServerResponse
  readonly #parts: OutputParts
  #skippedInARow = 0
  /** A boundary that has been written in part, and how much of it. */
  #rest: Boundary | undefined
  #restFrom = 0
  readonly #silence: SilenceWatch

  constructor(outgoing: ServerResponse, parts: OutputParts) {
    this.#outgoing = outgoing
    this.#parts = parts
    this.#silence = new SilenceWatch(parts.clock, parts.limits.keepAliveMs, () => {
      // What waits is a sign of life already, and a client that takes nothing gets no more of it.
      if (outgoing.writableLength === 0) this.#write(KEEP_ALIVE)
    })
  }

  take(boundary: Boundary): void {
    if (boundary.windows.length === 0) return
    if (this.#rest === undefined && this.#offer(boundary)) {
      this.#skippedInARow = 0
      return
    }
    this.#parts.onSkipped()
    this.#skippedInARow++
    if (this.#skippedInARow >= this.#parts.limits.skippedInARow) this.#parts.onStalled()
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#silence.stop()
    this.#rest = undefined
  }

  /**
   * Writes a boundary if there is room for all of it, or for a long beginning; any fits when
   * nothing waits. Its rest is spelled in turns, as far as there is room, then as that drains: so
   * thousands of counters need neither a larger buffer nor the event loop for long.
   */
  #offer(boundary: Boundary): boolean {
    const waiting = this.#outgoing.writableLength
    const room = this.#parts.limits.outputBytes - waiting
    const { text, size, next } = this.#spell(boundary, 0, Math.min(room, BEGINNING_BYTES))
    const isWhole = next === boundary.windows.length
    const isLong = isWhole || room > BEGINNING_BYTES
    if (waiting > 0 && (size > room || !isLong)) return false
    if (!isWhole) {
      this.#rest = boundary
      this.#restFrom = next
    }
    this.#write(text)
    return true
  }

  #writeRest(): void {
    const rest = this.#rest
    if (rest === undefined) return
    const room = Math.min(PART_BYTES, this.#parts.limits.outputBytes)
    const { text, next } = this.#spell(rest, this.#restFrom, room)
    this.#restFrom = next
    if (next === rest.windows.length) this.#rest = undefined
    this.#write(text)
  }

  /**
   * Spells as many lines as the room takes, but at least one; in parts, so that no text is far
   * larger.
   */
  #spell({ windows, timeMs }: Boundary, from: number, room: number) {
    let text = ''
    let size = 0
    let next = from
    let step = SPELLED_AT_ONCE
    while (next < windows.length) {
      const part = windows.slice(next, next + step)
      const { profile, hasMarks } = this.#parts
      const lines = boundaryText({ timeMs, windows: part }, profile, hasMarks)
      const lineSize = Buffer.byteLength(lines)
      if (size + lineSize > room && (step > 1 || next > from)) {
        if (step === 1) break
        step = Math.ceil(part.length / 2)
        continue
      }
      text += lines
      size += lineSize
      next += part.length
    }
    return { text, size, next }
  }

  #write(text: string): void {
    this.#silence.sign()
    const { inTurn = setImmediate, limits } = this.#parts
    const goOn = (): void => void inTurn(() => this.#writeRest())
    const isLeft = this.#rest !== undefined
    const hasRoom = this.#outgoing.writableLength + text.length + PART_BYTES <= limits.outputBytes
    // Not on 'drain': that comes only after writes that filled Node's own, smaller buffer.
    this.#outgoing.write(text, isLeft && !hasRoom ? goOn : undefined)
    if (isLeft && hasRoom) goOn()
  }
}
