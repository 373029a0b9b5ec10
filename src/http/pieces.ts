/**
 * Long answers are made in slices of the event loop: a generator yields whenever it has a piece, or
 * `undefined` where it may pause, and the rest of the loop runs in between.
 */
import { ANSWER_BUDGET_NS, LoopBudget } from '../hub/tasks/loop-budget.ts'
import type { Share } from '../hub/tasks/round-robin.ts'
import type { Clock } from '../time/clock.ts'
import type { Place } from './load/heavy-answers.ts'

export type Piece = string | Uint8Array
/** Pieces, and moments at which it is good to pause. */
export type Pieces<T = Piece, R = void> = Generator<T | undefined, R>

/** Rows, series or comparisons between two yields: well below a slice. */
export const ROWS_PER_STEP = 64
/** Pieces are handed on together, in chunks of about so many bytes. */
export const CHUNK_BYTES = 65_536

/** Elements of a list in one piece: some tens of kilobytes of rows. */
const PIECE_ELEMENTS = 64
/** Length up to which lists may consist of lists. */
const SHORT_LENGTH = 8

/** Makes the budget of what an exporter does of its own accord. */
export function answerBudget(clock: Clock): LoopBudget {
  return new LoopBudget(clock, { budgetNs: ANSWER_BUDGET_NS })
}

/**
 * Makes bytes of pieces, in turns of the event loop; waits wherever its reader does. Ends early
 * when the client is gone.
 */
export async function* chunksOf(
  pieces: Iterable<Piece | undefined>,
  place: Place,
): AsyncGenerator<Uint8Array> {
  const rest = pieces[Symbol.iterator]()
  try {
    for (let isDone = false; !isDone && !place.isGone; ) {
      const parts: Uint8Array[] = []
      let size = 0
      const work = (share: Share): void => {
        while (!isDone && size < CHUNK_BYTES && !share.isSpent && !place.isGone) {
          const next = rest.next()
          isDone = next.done === true
          if (isDone || next.value === undefined) continue
          const bytes = typeof next.value === 'string' ? Buffer.from(next.value) : next.value
          parts.push(bytes)
          size += bytes.length
        }
      }
      do await place.turn(work)
      while (!isDone && size < CHUNK_BYTES && !place.isGone)
      if (size === 0) continue
      place.handOver()
      yield parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    }
  } finally {
    rest.return?.()
    place.handOver()
  }
}

/** Puts chunks that were taken back before the rest of them. */
export async function* rejoined(
  taken: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* taken
  yield* rest
}

/** Writes the text of a value, in pieces of which none is large unless a single element is. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value)
  else yield JSON.stringify(value)
}

function* objectPieces(value: object): Generator<string, void> {
  let separator = '{'
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(part)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function* listPieces(list: readonly unknown[]): Generator<string, void> {
  yield '['
  for (let i = 0; i < list.length; ) {
    if (i > 0) yield ','
    if (list.length <= SHORT_LENGTH) {
      yield* jsonPieces(list[i++])
      continue
    }
    const text = JSON.stringify(list.slice(i, i + PIECE_ELEMENTS))
    yield text.slice(1, -1)
    i += PIECE_ELEMENTS
  }
  yield ']'
}
