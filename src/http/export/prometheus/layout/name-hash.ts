/**
 * Hashes of names that may be samples of a longer or a shorter one: `a`, `a_sum`, `a_sum_total`.
 * That of a name with one of the endings is made of the hash of what stands before, so a family's
 * name is hashed once for all its samples. No peer can choose names that meet (word-hash.ts).
 */
import { SAMPLE_SUFFIXES } from '../../../../exposition/names.ts'
import { createWordSecrets, hashWords } from '../../../../model/hash/word-hash.ts'
import { KINDS, type Kind } from '../../../../model/index.ts'

interface Ending {
  readonly text: string
  readonly bytes: Uint8Array
  /** Kinds whose samples have it. */
  readonly kinds: readonly Kind[]
}

/** Endings of samples' names, without the empty one. */
const ENDINGS: readonly Ending[] = endings()
/** Numbers of the endings that samples of a kind have. */
const ENDINGS_OF: Readonly<Record<Kind, readonly number[]>> = {
  counter: endingsOf('counter'),
  gauge: endingsOf('gauge'),
  histogram: endingsOf('histogram'),
  summary: endingsOf('summary'),
}

function endingsOf(kind: Kind): number[] {
  return [...ENDINGS.keys()].filter((number) => ENDINGS[number]!.kinds.includes(kind))
}

function endings(): Ending[] {
  const texts = new Set(KINDS.flatMap((kind) => SAMPLE_SUFFIXES[kind]))
  texts.delete('')
  return [...texts].map((text) => ({
    text,
    bytes: new TextEncoder().encode(text),
    kinds: KINDS.filter((kind) => SAMPLE_SUFFIXES[kind].includes(text)),
  }))
}

const SECRETS = createWordSecrets()

export class NameHash {
  /** Hash of the name read last. */
  own = 0
  /** Its ending; undefined where it has none. */
  ending: Ending | undefined
  /** Hash of what stands before the ending, where it has one. */
  shorter = 0
  /** Plain hash of the name, of which those of longer ones are made. */
  #whole = 0

  read(bytes: Uint8Array, length: number): void {
    this.#whole = hashWords(bytes, 0, length, SECRETS)
    const number = endingOf(bytes, length)
    this.ending = ENDINGS[number]
    if (this.ending === undefined) {
      this.own = this.#whole >>> 0
      return
    }
    const rest = length - this.ending.bytes.length
    const hash = hashWords(bytes, 0, rest, SECRETS)
    this.own = longer(hash, number)
    const next = endingOf(bytes, rest)
    if (next < 0) this.shorter = hash >>> 0
    else {
      const shortest = rest - ENDINGS[next]!.bytes.length
      this.shorter = longer(hashWords(bytes, 0, shortest, SECRETS), next)
    }
  }

  /** Lists the numbers of endings that samples of a kind have, for {@link longer}. */
  static endingsOf(kind: Kind): readonly number[] {
    return ENDINGS_OF[kind]
  }

  static textOf(ending: number): string {
    return ENDINGS[ending]!.text
  }

  /** Gives the hash of the name with an ending behind it. */
  longer(ending: number): number {
    return longer(this.#whole, ending)
  }
}

function endingOf(bytes: Uint8Array, length: number): number {
  for (let number = 0; number < ENDINGS.length; number++) {
    const ending = ENDINGS[number]!.bytes
    let left = ending.length
    while (left > 0 && bytes[length - ending.length + left - 1] === ending[left - 1]) left--
    if (left === 0) return number
  }
  return -1
}

/** Mixes as the end of MurmurHash3 does. */
function longer(hash: number, ending: number): number {
  let mixed = Math.imul(hash ^ (ending + 1), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
