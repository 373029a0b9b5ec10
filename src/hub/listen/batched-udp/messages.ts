/**
 * The memory that recvmmsg fills: one ArrayBuffer that holds the structures, the senders' addresses
 * and the datagrams of a batch, all of whose pointers lead into that same buffer (bits/socket.h,
 * bits/types/struct_iovec.h; machine order, 64-bit pointers):
 *
 *     [mmsghdr × count][iovec × count][sockaddr × count][datagram × count]
 *
 *     mmsghdr  [name:ptr][nameSize:u32][pad:4][iov:ptr][iovCount:u64][control:ptr=0]
 *              [controlSize:u64=0][flags:u32][pad:4] [size:u32][pad:4]                64 bytes
 *     iovec    [base:ptr][size:u64]                                                    16 bytes
 *     sockaddr [sockaddr_in or sockaddr_in6][pad:4]                                    32 bytes
 *
 * The kernel writes through these pointers only during a call; nothing of it outlives one.
 */
import type { Libc } from './libc.ts'
import { SOCKADDR_SIZE } from './sockaddr.ts'

const MMSGHDR_SIZE = 64
const IOVEC_SIZE = 16
const NAME_SIZE = 32

/** Places inside an mmsghdr, in words of 4 bytes where the hot path reads them. */
const NAME = 0
const NAME_SIZE_WORD = 2
const IOV = 16
const IOV_COUNT = 24
const FLAGS_WORD = 12
const SIZE_WORD = 14
const MMSGHDR_WORDS = MMSGHDR_SIZE / 4
const NAME_WORDS = NAME_SIZE / 4

/** bits/socket.h: the datagram was longer than its place. */
const MSG_TRUNC = 0x20

export class Messages {
  readonly count: number
  /** The array of mmsghdr: what recvmmsg is given. */
  readonly headers: Uint8Array
  readonly #datagramBytesLimit: number
  readonly #buffer: ArrayBuffer
  readonly #words: Uint32Array
  readonly #nameWords: Uint32Array
  readonly #namesAt: number
  readonly #datagramsAt: number

  /** @param datagramBytesLimit room for each datagram; what is longer is marked as cut */
  constructor(libc: Libc, count: number, datagramBytesLimit: number) {
    const iovecsAt = count * MMSGHDR_SIZE
    this.count = count
    this.#datagramBytesLimit = datagramBytesLimit
    this.#namesAt = iovecsAt + count * IOVEC_SIZE
    this.#datagramsAt = this.#namesAt + count * NAME_SIZE
    this.#buffer = new ArrayBuffer(this.#datagramsAt + count * datagramBytesLimit)
    this.headers = new Uint8Array(this.#buffer, 0, iovecsAt)
    this.#words = new Uint32Array(this.#buffer, 0, iovecsAt / 4)
    this.#nameWords = new Uint32Array(this.#buffer, this.#namesAt, count * NAME_WORDS)
    const base = libc.addressOf(this.#buffer)
    const view = new DataView(this.#buffer)
    for (let i = 0; i < count; i++) {
      const header = i * MMSGHDR_SIZE
      const iovec = iovecsAt + i * IOVEC_SIZE
      view.setBigUint64(header + NAME, base + BigInt(this.#namesAt + i * NAME_SIZE), true)
      view.setBigUint64(header + IOV, base + BigInt(iovec), true)
      view.setBigUint64(header + IOV_COUNT, 1n, true)
      view.setBigUint64(iovec, base + BigInt(this.#datagramAt(i)), true)
      view.setBigUint64(iovec + 8, BigInt(datagramBytesLimit), true)
      this.release(i)
    }
  }

  /** Tells whether the kernel has cut the datagram, or gives it a size that it can't have. */
  isCut(i: number): boolean {
    const header = i * MMSGHDR_WORDS
    const size = this.#words[header + SIZE_WORD]!
    return (this.#words[header + FLAGS_WORD]! & MSG_TRUNC) !== 0 || size > this.#datagramBytesLimit
  }

  /** Views a datagram that is not cut, valid until the next batch. */
  datagram(i: number): Buffer {
    const size = this.#words[i * MMSGHDR_WORDS + SIZE_WORD]!
    return Buffer.from(this.#buffer, this.#datagramAt(i), size)
  }

  /** Views the sender's structure, valid until the next batch. */
  sender(i: number): Uint8Array {
    return new Uint8Array(this.#buffer, this.#namesAt + i * NAME_SIZE, SOCKADDR_SIZE)
  }

  /** Reads a word of 4 bytes of the sender's structure, to compare senders by. */
  senderWord(i: number, word: number): number {
    return this.#nameWords[i * NAME_WORDS + word]!
  }

  /** Counts bytes of the sender's structure that the kernel filled. */
  senderSize(i: number): number {
    return this.#words[i * MMSGHDR_WORDS + NAME_SIZE_WORD]!
  }

  /** Makes ready for the next batch: the kernel reads here how much room the address has. */
  release(i: number): void {
    this.#words[i * MMSGHDR_WORDS + NAME_SIZE_WORD] = SOCKADDR_SIZE
  }

  #datagramAt(i: number): number {
    return this.#datagramsAt + i * this.#datagramBytesLimit
  }
}
