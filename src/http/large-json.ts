/**
 * JSON of answers that may be large: written in pieces, so that nobody waits for the whole, and
 * once for all who are given the same object.
 */
import type { Context } from 'hono'
import type { Clock } from '../time/clock.ts'
import { piecesAnswer } from './answers.ts'

/** Elements of a list in one piece: some tens of kilobytes of rows. */
const PIECE_ELEMENTS = 64
/** Lists that are not longer may consist of lists. */
const SHORT_LENGTH = 8

/** The text of a value, in pieces of which none is large unless a single element is. */
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

/** The pieces of one answer, each made when the first reader comes to it. */
class SharedPieces implements Iterable<string> {
  readonly #rest: Iterator<string, void>
  readonly #made: string[] = []

  constructor(value: object) {
    this.#rest = joined(jsonPieces(value))
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let i = 0; ; i++) {
      if (i === this.#made.length) {
        const next = this.#rest.next()
        if (next.done === true) return
        this.#made.push(next.value)
      }
      yield this.#made[i]!
    }
  }
}

/** Kept together, so that readers go through few of them. */
const PIECE_CHARS = 32_768

function* joined(pieces: Iterable<string>): Generator<string, void> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE_CHARS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Answers live as long as somebody holds them; so do their pieces. */
const known = new WeakMap<object, SharedPieces>()

export function largeAnswer(context: Context, value: object, clock: Clock): Promise<Response> {
  let pieces = known.get(value)
  if (pieces === undefined) {
    pieces = new SharedPieces(value)
    known.set(value, pieces)
  }
  return piecesAnswer(context, pieces, 'application/json', clock)
}
