/**
 * What is drawn of a log: of each column of the picture the first, the least, the greatest and the
 * last sample stay, at their own times. A spike of one sample survives, nothing is invented, and
 * with fewer samples than columns all of them are there. Columns lie on the absolute grid of time:
 * the picture does not flicker while it moves.
 */
import { BLOCK, type Chunk, type SampleLog } from './sample-log.ts'

/** A line as pairs of time and value; a value of NaN lifts the pen. Memory is used again. */
export class Trace {
  times: Float64Array = new Float64Array(64)
  values: Float64Array = new Float64Array(64)
  length = 0
  /** Extremes of the finite values within the window; low > high where there are none. */
  low: number = Number.POSITIVE_INFINITY
  high: number = Number.NEGATIVE_INFINITY

  /** Whether nothing of it lies within the window, beside the samples before and behind. */
  get isEmpty(): boolean {
    if (this.low <= this.high) return false
    const { length } = this
    return length < 2 || this.values.subarray(0, length).some(Number.isNaN)
  }

  clear(): void {
    this.length = 0
    this.low = Number.POSITIVE_INFINITY
    this.high = Number.NEGATIVE_INFINITY
  }

  push(time: number, value: number): void {
    if (this.length === this.times.length) this.#grow()
    this.times[this.length] = time
    this.values[this.length] = value
    this.length++
  }

  liftPen(): void {
    if (this.length > 0 && !Number.isNaN(this.values[this.length - 1]!)) {
      this.push(this.times[this.length - 1]!, Number.NaN)
    }
  }

  #grow(): void {
    const times = new Float64Array(2 * this.times.length)
    const values = new Float64Array(2 * this.values.length)
    times.set(this.times)
    values.set(this.values)
    this.times = times
    this.values = values
  }
}

/** Least or greatest sample of a column; of a block it is known where to look for its time. */
class Extreme {
  value = 0
  #time = 0
  /** Chunk that holds it; undefined where its time is known. */
  #chunk: Chunk | undefined
  #block = 0

  take(value: number, time: number): void {
    this.value = value
    this.#time = time
    this.#chunk = undefined
  }

  takeBlock(value: number, chunk: Chunk, block: number): void {
    this.value = value
    this.#chunk = chunk
    this.#block = block
  }

  /** Time of the first sample that has the value. */
  get time(): number {
    const chunk = this.#chunk
    if (chunk === undefined) return this.#time
    let at = this.#block * BLOCK
    while (chunk.values[at] !== this.value) at += 1
    return chunk.times[at]!
  }
}

/** The samples of one column so far. */
class Column {
  number = Number.NaN
  readonly #low = new Extreme()
  readonly #high = new Extreme()
  #firstTime = 0
  #first = 0
  #lastTime = 0
  #last = 0

  begin(number: number, time: number, value: number): void {
    this.number = number
    this.#firstTime = this.#lastTime = time
    this.#first = this.#last = value
    this.#low.take(value, time)
    this.#high.take(value, time)
  }

  add(time: number, value: number): void {
    if (value < this.#low.value) this.#low.take(value, time)
    if (value > this.#high.value) this.#high.take(value, time)
    this.#lastTime = time
    this.#last = value
  }

  addBlock(chunk: Chunk, block: number): void {
    const low = chunk.lows[block]!
    const high = chunk.highs[block]!
    if (low < this.#low.value) this.#low.takeBlock(low, chunk, block)
    if (high > this.#high.value) this.#high.takeBlock(high, chunk, block)
    const last = (block + 1) * BLOCK - 1
    this.#lastTime = chunk.times[last]!
    this.#last = chunk.values[last]!
  }

  flush(trace: Trace): void {
    if (Number.isNaN(this.number)) return
    trace.push(this.#firstTime, this.#first)
    const lowTime = this.#low.time
    const highTime = this.#high.time
    const isLowFirst = lowTime < highTime
    this.#pass(trace, isLowFirst ? lowTime : highTime, isLowFirst ? this.#low : this.#high)
    this.#pass(trace, isLowFirst ? highTime : lowTime, isLowFirst ? this.#high : this.#low)
    if (this.#lastTime > trace.times[trace.length - 1]!) trace.push(this.#lastTime, this.#last)
    this.number = Number.NaN
  }

  #pass(trace: Trace, time: number, { value }: Extreme): void {
    if (time > trace.times[trace.length - 1]! && time < this.#lastTime) trace.push(time, value)
  }
}

const column = new Column()

/**
 * Draws a log into a trace, from the sample before `from` to the one behind `to`, so that lines
 * reach the edges of the picture.
 * @param from seconds, as `to`
 */
export function traceLog(
  log: SampleLog,
  from: number,
  to: number,
  columns: number,
  trace: Trace,
): void {
  trace.clear()
  const { chunks } = log
  const stepS = (to - from) / columns
  let index = chunks.findIndex((chunk) => chunk.lastTime >= from)
  if (index < 0) index = chunks.length - 1
  if (index < 0) return
  let at = chunks[index]!.indexAt(from) - 1
  if (at < 0 && index > 0) {
    index -= 1
    at = chunks[index]!.length - 1
  }
  at = Math.max(0, at)
  for (; index < chunks.length; index++, at = 0) {
    if (!traceChunk(chunks[index]!, at, from, to, stepS, trace)) break
  }
  column.flush(trace)
}

/** Draws a chunk from a sample on. @returns whether the picture goes on behind it */
function traceChunk(
  chunk: Chunk,
  first: number,
  from: number,
  to: number,
  stepS: number,
  trace: Trace,
): boolean {
  const { times, values, breaks, length } = chunk
  let at = first
  while (at < length) {
    const time = times[at]!
    const number = Math.floor(time / stepS)
    if (at % BLOCK === 0 && at + BLOCK <= length && number === column.number) {
      const last = times[at + BLOCK - 1]!
      if (last <= to && Math.floor(last / stepS) === number) {
        if (time >= from) extendByBlock(trace, chunk, at / BLOCK)
        column.addBlock(chunk, at / BLOCK)
        at += BLOCK
        continue
      }
    }
    const value = values[at]!
    if (number === column.number) {
      column.add(time, value)
    } else {
      column.flush(trace)
      if (breaks[at] === 1) trace.liftPen()
      column.begin(number, time, value)
    }
    if (time > to) return false
    if (time >= from) extend(trace, value, value)
    at += 1
  }
  return true
}

/** Widens the extremes; infinite ones are no place on an axis. */
function extend(trace: Trace, low: number, high: number): void {
  if (low < trace.low && Number.isFinite(low)) trace.low = low
  if (high > trace.high && Number.isFinite(high)) trace.high = high
}

function extendByBlock(trace: Trace, { lows, highs, values }: Chunk, block: number): void {
  const low = lows[block]!
  const high = highs[block]!
  if (Number.isFinite(low) && Number.isFinite(high)) {
    extend(trace, low, high)
    return
  }
  for (let i = block * BLOCK; i < (block + 1) * BLOCK; i++) extend(trace, values[i]!, values[i]!)
}
