/**
 * How a test and a thread that records without end agree on moments: the thread pauses when it is
 * told to, so that what it has recorded is known exactly. Used on both sides.
 */

/** Ints that both share; the thread answers each number of `pause` that it sees. */
export const CONTROL = Object.freeze({ attached: 0, pause: 1, paused: 2, end: 3 })

/** What the thread is given. */
export interface Told {
  readonly control: Int32Array
  /** [records, sum of their integers], counted after each record. */
  readonly tally: Float64Array
}

export function newTold(): Told {
  return {
    control: new Int32Array(new SharedArrayBuffer(16)),
    tally: new Float64Array(new SharedArrayBuffer(16)),
  }
}

/** Records in turns of 50 until it is told to end; a turn gives the event loop nothing. */
export function recordUntilTold({ control, tally }: Told, record: (value: number) => void): void {
  Atomics.store(control, CONTROL.attached, 1)
  let value = 0
  while (Atomics.load(control, CONTROL.end) === 0) {
    pauseIfTold(control)
    for (let i = 0; i < 50; i++) {
      value = (value + 7) % 101
      record(value)
      // Neighbours without a call: a terminated thread is one record behind at most.
      tally[1]! += value
      tally[0]! += 1
    }
  }
}

/** Odd numbers tell it to pause, even ones to go on. */
function pauseIfTold(control: Int32Array): void {
  let told = Atomics.load(control, CONTROL.pause)
  while (told !== Atomics.load(control, CONTROL.paused)) {
    Atomics.store(control, CONTROL.paused, told)
    if ((told & 1) === 1) Atomics.wait(control, CONTROL.pause, told)
    told = Atomics.load(control, CONTROL.pause)
  }
}
