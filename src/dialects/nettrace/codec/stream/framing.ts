/**
 * Blocks of a stream, however it is cut (nettrace.md §4, §8):
 *
 *   4  ["Nettrace"][20:i32]["!FastSerialization.1"] objects [01]
 *      object  [05][05][01][version:i32][least reader:i32][n:i32][name:n][06] body [06]
 *      Trace   48 bytes                    others  [size:i32][0 to a multiple of 4][size bytes]
 *   6  ["Nettrace"][0:u32][major:u32][minor:u32] blocks
 *      block   [size:u24][kind:u8][size bytes]
 *
 * Sizes are checked before anything is held for them; each byte is copied at most twice.
 */
import { ByteQueue } from '../../../../wire/byte-queue.ts'
import { type ErrorCode, OBJECT_NAME_BYTES_LIMIT, SERIALIZER, STREAM_MAGIC } from '../../spec.ts'

/** Kinds of blocks; `unknown` ones are skipped. */
export type BlockKind =
  | 'trace'
  | 'event'
  | 'metadata'
  | 'stack'
  | 'sequencePoint'
  | 'thread'
  | 'removeThread'
  | 'labelList'
  | 'unknown'

/** Kinds of version 6 by their number; 0 is the end. */
const KINDS: readonly BlockKind[] = [
  ...['unknown', 'trace', 'event', 'metadata', 'sequencePoint', 'stack', 'thread'],
  ...['removeThread', 'labelList'],
] as BlockKind[]

/** Kinds of version 4 by the names of their objects. */
const OBJECTS: ReadonlyMap<string, BlockKind> = new Map([
  ['Trace', 'trace'],
  ['EventBlock', 'event'],
  ['MetadataBlock', 'metadata'],
  ['StackBlock', 'stack'],
  ['SPBlock', 'sequencePoint'],
])

/** Newest reader that an object of version 4 may ask for. */
const READER_OF_TRACE = 4
const READER_OF_BLOCK = 2
const TRACE_BYTES = 48

const BEGIN = 5
const END_OF_OBJECT = 6
const END_OF_STREAM = 1
const OBJECT_HEAD_BYTES = 15
const HEAD_4_BYTES = 24
const MAJOR = 6
const FIRST_BYTES = 9

interface BlockVisitor {
  /**
   * Takes one whole block, `bytes[at, end)`, valid during the call.
   * @param version 4 or 6
   * @param offset of its first byte in the stream
   */
  block(
    kind: BlockKind,
    version: number,
    bytes: Uint8Array,
    at: number,
    end: number,
    offset: number,
  ): void
  /** Learns that nothing more is read, for an error at this byte. */
  fail(code: ErrorCode, offset: number): void
}

/** Next thing that is to be read, once so many bytes are there. */
type Stage =
  | 'first'
  | 'head4'
  | 'object'
  | 'begin'
  | 'name'
  | 'size'
  | 'body'
  | 'close'
  | 'head6'
  | 'block6'

export class StreamFraming {
  /** True behind the end mark. */
  isEnded = false
  /** Bytes behind the end mark, which are not read. */
  bytesBehind = 0
  readonly #visitor: BlockVisitor
  readonly #limit: number
  readonly #held = new ByteQueue()
  #isFailed = false
  #stage: Stage = 'first'
  #need = FIRST_BYTES
  /** Offset of the next byte that is not read yet. */
  #offset = 0
  /** Block at hand. */
  #kind: BlockKind = 'unknown'
  #size = 0
  #padding = 0
  #version = 4
  #hasTrace = false

  /** @param blockBytesLimit size of the largest block, bytes */
  constructor(blockBytesLimit: number, visitor: BlockVisitor) {
    this.#limit = blockBytesLimit
    this.#visitor = visitor
  }

  /** Memory held for a block that is not complete, bytes. */
  get bytesHeld(): number {
    return this.#held.size
  }

  push(bytes: Uint8Array): void {
    if (this.isEnded) this.bytesBehind += bytes.length
    if (this.isEnded || this.#isFailed) return
    if (this.#held.size === 0) {
      const taken = this.#read(bytes)
      if (taken < bytes.length) this.#held.append(bytes.subarray(taken))
    } else {
      this.#held.append(bytes)
      if (this.#held.size >= this.#need) this.#held.drop(this.#read(this.#held.peek()))
    }
    if (this.isEnded) this.bytesBehind = this.#held.size
    if (this.isEnded || this.#isFailed) this.#held.clear()
  }

  /** Ends the stream, which lacks something unless its end mark has come. */
  end(): void {
    if (!this.isEnded && !this.#isFailed) this.#fail('truncated', this.#held.size)
    this.#held.clear()
  }

  /** @returns bytes that were read */
  #read(bytes: Uint8Array): number {
    let at = 0
    while (!this.isEnded && !this.#isFailed && bytes.length - at >= this.#need) {
      const need = this.#need
      this.#step(bytes, at)
      if (this.#isFailed) break
      at += need
      this.#offset += need
    }
    return at
  }

  /** Reads the stage at hand, all bytes of which are there, and names the next one. */
  #step(bytes: Uint8Array, at: number): undefined {
    switch (this.#stage) {
      case 'first':
        return this.#first(bytes, at)
      case 'head4':
        return this.#head4(bytes, at)
      case 'head6':
        return this.#head6(bytes, at)
      case 'object':
        return this.#object(bytes, at)
      case 'begin':
        return this.#begin(bytes, at)
      case 'name':
        return this.#name(bytes, at)
      case 'size':
        return this.#sizeOf(bytes, at)
      case 'block6':
        return this.#block6(bytes, at)
      case 'body':
        return this.#body(bytes, at)
      case 'close':
        return this.#close(bytes, at)
    }
  }

  #wait(stage: Stage, need: number): undefined {
    this.#stage = stage
    this.#need = need
  }

  /** @param behind bytes behind the stage's first in which the fault was found */
  #fail(code: ErrorCode, behind = 0): undefined {
    this.#isFailed = true
    this.#visitor.fail(code, this.#offset + behind)
  }

  #first(bytes: Uint8Array, at: number): undefined {
    if (!isText(bytes, at, STREAM_MAGIC)) this.#fail('bad_magic')
    else if (bytes[at + 8] === SERIALIZER.length) this.#wait('head4', HEAD_4_BYTES - 1)
    else if (bytes[at + 8] === 0) this.#wait('head6', 11)
    else this.#fail('bad_magic', 8)
  }

  #head4(bytes: Uint8Array, at: number): undefined {
    if (bytes[at] || bytes[at + 1] || bytes[at + 2] || !isText(bytes, at + 3, SERIALIZER)) {
      this.#fail('bad_magic')
    } else {
      this.#wait('object', 1)
    }
  }

  #head6(bytes: Uint8Array, at: number): undefined {
    if (bytes[at] || bytes[at + 1] || bytes[at + 2]) return this.#fail('bad_magic')
    if (u32(bytes, at + 3) !== MAJOR) return this.#fail('bad_version', 3)
    this.#version = MAJOR
    this.#wait('block6', 4)
  }

  /** Tells an object from the end by one byte, so that an end needs no more. */
  #object(bytes: Uint8Array, at: number): undefined {
    if (bytes[at] === END_OF_STREAM) this.isEnded = true
    else if (bytes[at] === BEGIN) this.#wait('begin', OBJECT_HEAD_BYTES - 1)
    else this.#fail('bad_tag')
  }

  #begin(bytes: Uint8Array, at: number): undefined {
    const nameBytes = u32(bytes, at + 10)
    if (bytes[at] !== BEGIN) return this.#fail('bad_tag')
    if (bytes[at + 1] !== 1) return this.#fail('bad_tag', 1)
    if (nameBytes > OBJECT_NAME_BYTES_LIMIT) return this.#fail('too_large', 10)
    this.#size = u32(bytes, at + 6)
    this.#wait('name', nameBytes + 1)
  }

  #name(bytes: Uint8Array, at: number): undefined {
    let name = ''
    const last = this.#need - 1
    if (bytes[at + last] !== END_OF_OBJECT) return this.#fail('bad_tag', last)
    for (let i = 0; i < last; i++) name += String.fromCharCode(bytes[at + i]!)
    this.#kind = OBJECTS.get(name) ?? 'unknown'
    const isTrace = this.#kind === 'trace'
    const reader = this.#size
    if (isTrace ? reader !== READER_OF_TRACE : reader > READER_OF_BLOCK) {
      return this.#fail('bad_version')
    }
    // the first object says how the others are to be read, and there is one of it
    if (isTrace === this.#hasTrace) return this.#fail('bad_tag')
    this.#hasTrace = true
    this.#padding = 0
    if (!isTrace) return this.#wait('size', 4)
    this.#wait('body', TRACE_BYTES)
  }

  #sizeOf(bytes: Uint8Array, at: number): undefined {
    const size = u32(bytes, at)
    if (size > this.#limit) return this.#fail('too_large')
    this.#padding = -(this.#offset + 4) & 3
    this.#wait('body', this.#padding + size)
  }

  #block6(bytes: Uint8Array, at: number): undefined {
    const size = u32(bytes, at) & 0xffffff
    const kind = bytes[at + 3]!
    if (kind === 0) {
      this.isEnded = true
      return
    }
    if (size > this.#limit) return this.#fail('too_large')
    this.#kind = KINDS[kind] ?? 'unknown'
    if (this.#kind !== 'unknown' && (this.#kind === 'trace') === this.#hasTrace) {
      return this.#fail('bad_tag')
    }
    if (this.#kind === 'trace') this.#hasTrace = true
    this.#wait('body', size)
  }

  #body(bytes: Uint8Array, at: number): undefined {
    const start = at + this.#padding
    for (let i = at; i < start; i++) {
      if (bytes[i] !== 0) return this.#fail('bad_padding', i - at)
    }
    const offset = this.#offset + this.#padding
    const end = at + this.#need
    this.#visitor.block(this.#kind, this.#version, bytes, start, end, offset)
    if (this.#version === 4) this.#wait('close', 1)
    else this.#wait('block6', 4)
  }

  #close(bytes: Uint8Array, at: number): undefined {
    if (bytes[at] !== END_OF_OBJECT) this.#fail('bad_tag')
    else this.#wait('object', 1)
  }
}

function isText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[at + i] !== text.charCodeAt(i)) return false
  }
  return true
}

function u32(bytes: Uint8Array, at: number): number {
  const high = bytes[at + 2]! | (bytes[at + 3]! << 8)
  return (bytes[at]! | (bytes[at + 1]! << 8)) + (high & 0xffff) * 65_536
}
