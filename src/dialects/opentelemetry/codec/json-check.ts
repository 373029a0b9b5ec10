/**
 * A look at JSON before it is parsed, which is done in one step: what would make that long is
 * refused. Objects cost V8 most where each has other names, or the same ones in another order.
 */
import type { Task } from '../../../time/task.ts'
import { DEPTH_LIMIT } from '../../../wire/protobuf/schema.ts'
import { JSON_FORMS_LIMIT, JSON_NAMES_LIMIT, JSON_OBJECTS_LIMIT } from '../spec.ts'

/** Bytes that are looked at in one step. */
const STEP_BYTES = 65_536
/** Objects and lists within each other: a message has one object, and one list at most. */
const DEPTH_MAX = 2 * DEPTH_LIMIT + 4

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

const HASH_BASIS = 0x811c9dc5
const HASH_PRIME = 0x01000193

type Checked = 'too_large' | 'too_deep' | 'whole'

/**
 * Makes a task that tells whether JSON has more objects and lists than may be made at once, objects
 * of more names or in more forms, or all of them deeper within each other than a message can be.
 */
export function checkingJson(json: Uint8Array): Task<Checked> {
  return new JsonCheck(json).run()
}

class JsonCheck {
  readonly #json: Uint8Array
  /** Hash of the names of each object that is open, by depth; 0 for a list. */
  readonly #hashes = new Int32Array(DEPTH_MAX + 1)
  readonly #names = new Int32Array(DEPTH_MAX + 1)
  readonly #forms = new Set<number>()
  #depth = 0
  #left = JSON_OBJECTS_LIMIT
  /** Whether the text that comes next is a name. */
  #isNameNext = false

  constructor(json: Uint8Array) {
    this.#json = json
  }

  *run(): Task<Checked> {
    const json = this.#json
    let pauseAt = 0
    for (let at = 0; at < json.length; at++) {
      if (at >= pauseAt) {
        pauseAt = at + STEP_BYTES
        yield
      }
      switch (json[at]) {
        case QUOTE:
          at = yield* this.#text(at)
          if (this.#names[this.#depth]! > JSON_NAMES_LIMIT) return 'too_large'
          break
        case OPENING_BRACE:
        case OPENING_BRACKET:
          if (--this.#left < 0) return 'too_large'
          if (++this.#depth > DEPTH_MAX) return 'too_deep'
          this.#names[this.#depth] = 0
          this.#isNameNext = json[at] === OPENING_BRACE
          this.#hashes[this.#depth] = this.#isNameNext ? HASH_BASIS : 0
          break
        case CLOSING_BRACE:
          this.#forms.add(this.#hashes[this.#depth]!)
          if (this.#forms.size > JSON_FORMS_LIMIT) return 'too_large'
          this.#depth = Math.max(0, this.#depth - 1)
          break
        case CLOSING_BRACKET:
          this.#depth = Math.max(0, this.#depth - 1)
          break
        case COMMA:
          this.#isNameNext = this.#hashes[this.#depth] !== 0
      }
    }
    return 'whole'
  }

  /** Goes through a text, and takes it as a name where it is one. @returns where it ends */
  *#text(from: number): Task<number> {
    const json = this.#json
    const isName = this.#isNameNext
    let hash = isName ? this.#hashes[this.#depth]! : 0
    let at = from + 1
    for (let pauseAt = from + STEP_BYTES; at < json.length && json[at] !== QUOTE; at++) {
      if (at >= pauseAt) {
        pauseAt = at + STEP_BYTES
        yield
      }
      if (json[at] === BACKSLASH) at++
      if (isName) hash = Math.imul(hash ^ json[at]!, HASH_PRIME)
    }
    if (isName) {
      // never 0, which is a list's; the quote tells names apart
      this.#hashes[this.#depth] = Math.imul(hash ^ QUOTE, HASH_PRIME) || 1
      this.#names[this.#depth]!++
      this.#isNameNext = false
    }
    return at
  }
}
