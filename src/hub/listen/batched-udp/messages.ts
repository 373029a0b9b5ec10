/**
 * The memory that recvmmsg fills: one part of a buffer that holds the structures, the senders'
 * addresses and the datagrams of a batch, all of whose pointers lead into that same part
 * (bits/socket.h, bits/types/struct_iovec.h; machine order, 64-bit pointers):
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

/**
 * Distance that datagrams are moved apart by: a power of two between them would have their first
 * bytes compete for the same lines of the processor's caches.
 */
const APART = 192
/** Bytes that one message takes beside its datagram. */
const STRUCTURES_SIZE = MMSGHDR_SIZE + IOVEC_SIZE + NAME_SIZE

/** bits/socket.h: the datagram was longer than its place. */
const MSG_TRUNC = 0x20

/** Part of a buffer that does not move. */
interface BufferPart {
  readonly buffer: ArrayBufferLike
  readonly at: number
  readonly size: number
}

export class Messages {
  readonly count: number
  /** The array of mmsghdr: what recvmmsg is given. */
  readonly headers: Uint8Array
  /** Places of datagrams and of their sizes, in bytes of the buffer. */
  readonly at: number
  readonly stride: number
  readonly sizesAt: number
  readonly sizesStride = MMSGHDR_SIZE
  readonly #datagramBytesLimit: number
  readonly #buffer: ArrayBufferLike
  readonly #words: Uint32Array
  readonly #nameWords: Uint32Array
  readonly #namesAt: number

  /**
   * @param countMax fewer where the part has no room for them
   * @param datagramBytesLimit room for each datagram; what is longer is marked as cut
   * @param part of a buffer; one of its own unless given
   */
  constructor(libc: Libc, countMax: number, datagramBytesLimit: number, part?: BufferPart) {
    const stride = datagramBytesLimit + APART
    const room = Math.floor((part?.size ?? Number.POSITIVE_INFINITY) / (stride + STRUCTURES_SIZE))
    const count = Math.min(countMax, room)
    const start = part?.at ?? 0
    const iovecsAt = start + count * MMSGHDR_SIZE
    this.count = count
    this.stride = stride
    this.#datagramBytesLimit = datagramBytesLimit
    this.#namesAt = iovecsAt + count * IOVEC_SIZE
    this.at = this.#namesAt + count * NAME_SIZE
    this.sizesAt = start + SIZE_WORD * 4
    this.#buffer = part?.buffer ?? new ArrayBuffer(count * (stride + STRUCTURES_SIZE))
    this.headers = new Uint8Array(this.#buffer, start, count * MMSGHDR_SIZE)
    this.#words = new Uint32Array(this.#buffer, start, count * MMSGHDR_WORDS)
    this.#nameWords = new Uint32Array(this.#buffer, this.#namesAt, count * NAME_WORDS)
    const base = libc.addressOf(this.#buffer)
    const view = new DataView(this.#buffer)
    for (let i = 0; i < count; i++) {
      const header = start + i * MMSGHDR_SIZE
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

  /** Marks a datagram as cut, and has it look empty. */
  hide(i: number): void {
    this.#words[i * MMSGHDR_WORDS + FLAGS_WORD]! |= MSG_TRUNC
    this.empty(i)
  }

  /** Has a datagram look empty. */
  empty(i: number): void {
    this.#words[i * MMSGHDR_WORDS + SIZE_WORD] = 0
  }

  /** Tells whether a datagram and the one before it have one sender. */
  isOfSameSender(i: number): boolean {
    const words = this.#nameWords
    const at = i * NAME_WORDS
    for (let word = 0; word < SOCKADDR_SIZE / 4; word++) {
      if (words[at + word] !== words[at - NAME_WORDS + word]) return false
    }
    return true
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
    return this.at + i * this.stride
  }
}
