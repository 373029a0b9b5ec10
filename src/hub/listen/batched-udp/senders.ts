/**
 * Who sent a datagram, as the same object for every datagram of the same sender, so that a busy
 * sender costs neither a text nor an object per datagram. A table of fixed size: a sender whose
 * place another one has taken is only written out again.
 */
import type { Libc } from './libc.ts'
import type { Messages } from './messages.ts'
import { decodeSockaddr, type Endpoint, SOCKADDR_SIZE } from './sockaddr.ts'

/** A power of two; a hub seldom hears more processes on one socket. */
const PLACES = 1024
const WORDS = SOCKADDR_SIZE / 4

/** Endpoint of a structure that is no address, which the kernel has no reason to fill in. */
const NOBODY: Endpoint = { address: '', port: 0 }

export class Senders {
  readonly #libc: Libc
  readonly #messages: Messages
  readonly #keys = new Uint32Array(PLACES * WORDS)
  readonly #endpoints = new Array<Endpoint | undefined>(PLACES).fill(undefined)

  constructor(libc: Libc, messages: Messages) {
    this.#libc = libc
    this.#messages = messages
  }

  of(message: number): Endpoint {
    const place = this.#placeOf(message)
    const held = this.#endpoints[place]
    if (held !== undefined && this.#isAt(place, message)) return held
    const messages = this.#messages
    const size = messages.senderSize(message)
    const endpoint = decodeSockaddr(this.#libc, messages.sender(message), size) ?? NOBODY
    for (let word = 0; word < WORDS; word++) {
      this.#keys[place * WORDS + word] = messages.senderWord(message, word)
    }
    this.#endpoints[place] = endpoint
    return endpoint
  }

  #isAt(place: number, message: number): boolean {
    for (let word = 0; word < WORDS; word++) {
      const key = this.#keys[place * WORDS + word]
      if (key !== this.#messages.senderWord(message, word)) return false
    }
    return true
  }

  /**
   * Computes the place of a sender. Ports and addresses differ in their upper bytes, so those are
   * spread over the lower bits.
   */
  #placeOf(message: number): number {
    let hash = 0
    for (let word = 0; word < WORDS; word++) {
      // Fibonacci hashing: 2^32 divided by the golden ratio
      hash = Math.imul(hash ^ this.#messages.senderWord(message, word), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash & (PLACES - 1)
  }
}
