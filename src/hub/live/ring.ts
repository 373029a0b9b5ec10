/**
 * The live ring: the newest cells of every series, addressed by time. One-second frames for
 * `fineSeconds` (at least ten minutes), then frames of `coarseStep` seconds for `coarseSeconds`
 * more. Its memory is bounded: at `bytesLimit` the oldest frames go first, and are counted.
 *
 * Where the clock was set back, seconds that come again are added to those that are there, as the
 * history does: increments and distributions add up, of a gauge the newer value holds.
 */
import { runNow, type Task } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import { mergeSteps } from './merge-frames.ts'

/** Frames of which it is known what was told of them: clients come back within two minutes. */
const TOLD_LIMIT = 120

interface LiveRingOptions {
  readonly fineSeconds: number
  readonly coarseSeconds: number
  readonly coarseStep: number
  readonly bytesLimit: number
}

export const LIVE_RING_DEFAULTS: LiveRingOptions = {
  fineSeconds: 600,
  coarseSeconds: 600,
  coarseStep: 10,
  bytesLimit: 268_435_456,
}

export class LiveRing {
  readonly options: LiveRingOptions
  /** Oldest first; both lists are contiguous in time unless the hub itself stood still. */
  readonly #fine: Frame[] = []
  readonly #coarse: Frame[] = []
  /** Fine frames that have left their list and wait to fill a coarse one. */
  #leaving: Frame[] = []
  /** Fine frames of a time that is still to come again, since the clock was set back. */
  #ahead: Frame[] = []
  /**
   * End of a time that comes again since the clock was set back, Unix ms: of what came first some
   * is there in coarser steps, or not at all, and some under numbers that series had before.
   */
  #partlyToMs = 0
  /** Frames as they were told, by those that hold more since their time came again; the newest. */
  readonly #told = new Map<Frame, Frame | undefined>()
  #bytes = 0
  #evicted = 0

  constructor(options: LiveRingOptions = LIVE_RING_DEFAULTS) {
    this.options = options
  }

  /** Bytes held by all frames. */
  get bytes(): number {
    return this.#bytes
  }

  /** Frames dropped before their time because of the memory bound. */
  get evictedFrames(): number {
    return this.#evicted
  }

  /** Seconds of history that a client may ask for. */
  get spanSeconds(): number {
    return this.options.fineSeconds + this.options.coarseSeconds
  }

  get newest(): Frame | undefined {
    return this.#fine.at(-1)
  }

  /** Start of the oldest frame still held, Unix ms; undefined while empty. */
  get oldestMs(): number | undefined {
    const oldest = this.#coarse[0] ?? this.#leaving[0] ?? this.#fine[0]
    return oldest && oldest.endMs - oldest.seconds * 1000
  }

  /**
   * Gives the start of what is held as fine as a step, Unix ms; undefined while empty. A history
   * has what is before it in seconds.
   */
  wholeFromMs(stepMs: number): number | undefined {
    const fine = this.#leaving[0] ?? this.#fine[0]
    const isCoarse = stepMs % (this.options.coarseStep * 1000) === 0
    const fromMs = isCoarse || fine === undefined ? this.oldestMs : fine.endMs - fine.seconds * 1000
    // below a second samples tell, which no history has
    return stepMs < 1000 ? fromMs : fromMs && Math.max(fromMs, this.#partlyToMs)
  }

  /** Notes that a former hub has told of seconds up to an instant: they come again until then. */
  comesAgain(toMs: number): void {
    this.#partlyToMs = Math.max(this.#partlyToMs, toMs)
  }

  push(frame: Frame): void {
    runNow(this.pushing(frame))
  }

  /** Does the same in steps; a reader in between sees what has come, and all that was there. */
  *pushing(frame: Frame): Task {
    this.#setBackTo(frame.endMs - frame.seconds * 1000)
    const whole = yield* this.#withAhead(frame)
    this.#fine.push(whole)
    this.#bytes += whole.size
    yield* this.#ageFine(frame.endMs)
    this.#ageCoarse(frame.endMs)
    this.#enforceLimit()
  }

  /**
   * Lists frames that end after `fromMs` and begin before `toMs`, oldest first. Those of a time
   * that is still to come again are among them.
   */
  between(fromMs: number, toMs: number): Frame[] {
    const frames: Frame[] = []
    for (const list of [this.#coarse, this.#leaving, this.#fine, this.#ahead]) {
      for (let i = firstAfter(list, fromMs); i < list.length; i++) {
        const frame = list[i]!
        if (frame.endMs - frame.seconds * 1000 >= toMs) break
        frames.push(frame)
      }
    }
    return frames
  }

  /** Finds the frame that an instant lies in, its end included; undefined where it has left. */
  holding(ms: number): Frame | undefined {
    for (const list of [this.#fine, this.#leaving, this.#coarse]) {
      const next = firstAfter(list, ms)
      const before = list[next - 1]
      const frame = before?.endMs === ms ? before : list[next]
      if (frame !== undefined && frame.endMs - frame.seconds * 1000 < ms) return frame
    }
    return undefined
  }

  /**
   * Puts another frame in the place of one.
   * @param frame of the same time
   * @returns false where the former is not there any more
   */
  replace(former: Frame, frame: Frame): boolean {
    for (const list of [this.#fine, this.#leaving, this.#coarse]) {
      const at = list.indexOf(former)
      if (at < 0) continue
      list[at] = frame
      if (this.#told.has(former)) {
        this.#noteTold(frame, this.#told.get(former))
        this.#told.delete(former)
      }
      this.#bytes += frame.size - former.size
      this.#enforceLimit()
      return true
    }
    return false
  }

  /**
   * Lists frames that end after an instant: what a client missed that has seen all up to it. Of a
   * time that came again it has seen the first one.
   */
  since(endMs: number): Frame[] {
    const frames = this.#fine.slice(firstAfter(this.#fine, endMs))
    return frames.flatMap((frame) =>
      this.#told.has(frame) ? (this.#told.get(frame) ?? []) : frame,
    )
  }

  /** Puts aside the seconds of a time that comes again, because the clock was set back. */
  #setBackTo(startMs: number): void {
    const again = this.#fine.splice(firstAfter(this.#fine, startMs))
    this.comesAgain(again.at(-1)?.endMs ?? 0)
    this.#ahead.unshift(...again)
    for (const list of [this.#leaving, this.#coarse]) {
      for (let last = list.at(-1); last !== undefined && last.endMs > startMs; last = list.at(-1)) {
        this.#partlyToMs = Math.max(this.#partlyToMs, last.endMs)
        this.#bytes -= last.size
        list.pop()
      }
    }
  }

  /** Adds a frame to the seconds of its time that were put aside; those before it come back. */
  *#withAhead(frame: Frame): Task<Frame> {
    const count = firstAfter(this.#ahead, frame.endMs)
    if (count === 0) return frame
    const startMs = frame.endMs - frame.seconds * 1000
    const found = this.#ahead.splice(0, count)
    const before = firstAfter(found, startMs)
    for (const each of found.slice(0, before)) {
      this.#fine.push(each)
      this.#noteTold(each, undefined)
    }
    const same = found.slice(before)
    for (const each of same) this.#bytes -= each.size
    const whole = yield* mergeSteps([...same, frame], frame.seconds)
    if (same.length > 0) this.#noteTold(whole, frame)
    return whole
  }

  #noteTold(frame: Frame, told: Frame | undefined): void {
    this.#told.set(frame, told)
    const [oldest] = this.#told.keys()
    if (this.#told.size > TOLD_LIMIT) this.#told.delete(oldest!)
  }

  *#ageFine(nowMs: number): Task {
    const limitMs = nowMs - this.options.fineSeconds * 1000
    const stepMs = this.options.coarseStep * 1000
    for (let next = this.#fine[0]; next !== undefined && next.endMs <= limitMs; ) {
      const last = this.#leaving.at(-1)
      const isBehindGap = last !== undefined && next.endMs - next.seconds * 1000 > last.endMs
      // one frame of both sides of a gap would lie in it
      if (isBehindGap) yield* this.#fold()
      this.#leaving.push(this.#fine.shift()!)
      const isWhole = next.endMs % stepMs === 0 || next.endMs - this.#leaving[0]!.endMs >= stepMs
      if (isWhole) yield* this.#fold()
      next = this.#fine[0]
    }
  }

  /** Makes a coarse frame of those that have left. */
  *#fold(): Task {
    const coarse = yield* mergeSteps(this.#leaving)
    for (const frame of this.#leaving) this.#bytes -= frame.size
    this.#leaving = []
    this.#coarse.push(coarse)
    this.#bytes += coarse.size
  }

  #ageCoarse(nowMs: number): void {
    const count = firstAfter(this.#coarse, nowMs - this.spanSeconds * 1000)
    for (const frame of this.#coarse.splice(0, count)) this.#bytes -= frame.size
  }

  #enforceLimit(): void {
    while (this.#bytes > this.options.bytesLimit) {
      const lists = [this.#ahead, this.#coarse, this.#leaving, this.#fine]
      const list = lists.find((frames) => frames.length > 0)
      if (list === undefined || (list === this.#fine && list.length === 1)) return
      this.#bytes -= list.shift()!.size
      this.#evicted++
    }
  }
}

/** Finds the first frame that ends after an instant; frames are in the order of time. */
function firstAfter(frames: readonly Frame[], ms: number): number {
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (frames[middle]!.endMs > ms) high = middle
    else low = middle + 1
  }
  return low
}
