/**
 * Long answers are made in turns: whoever makes one is a generator that yields whenever it has a
 * piece, or `undefined` where it may pause; who runs it lets others get their turn in time.
 */
import { ANSWER_TURN_NS, Turn } from '../hub/tasks/loop-budget.ts'
import type { Clock } from '../time/clock.ts'

export type Piece = string | Uint8Array
/** Pieces, and moments at which it is good to pause. */
export type Pieces<T = Piece, R = void> = Generator<T | undefined, R>

/** Rows, series or comparisons between two yields: well below a turn. */
export const ROWS_PER_STEP = 64
/** Pieces are handed on together, in chunks of about so many bytes. */
const CHUNK_BYTES = 65_536

/** The turns of one who makes an answer. */
export function answerTurn(clock: Clock): Turn {
  return new Turn(clock, { budgetNs: ANSWER_TURN_NS })
}

/** Pieces as bytes, made in turns; waits wherever its reader does. */
export async function* chunksOf(
  pieces: Iterable<Piece | undefined>,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const turn = answerTurn(clock)
  let held: Uint8Array[] = []
  let size = 0
  for (const piece of pieces) {
    if (piece !== undefined) {
      const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece
      held.push(bytes)
      size += bytes.length
    }
    if (size >= CHUNK_BYTES) {
      yield Buffer.concat(held)
      held = []
      size = 0
    }
    if (turn.isOver) await turn.next()
  }
  if (size > 0) yield Buffer.concat(held)
}
