/**
 * The few functions of libc that a batched socket needs, through `node:ffi`. Every pointer is one
 * that Node borrows from a view for one call; those inside of structures are the caller's, from
 * `addressOf`. What libc refuses is thrown as Node would throw it: `code`, `errno`, `syscall`.
 */
import { endianness } from 'node:os'
import { getSystemErrorMap } from 'node:util'

/**
 * Machines where the numbers of this folder hold: Linux' generic 64-bit ABI, which both machines
 * have, and which glibc and musl pass on unchanged. Elsewhere they differ, or are not checked.
 */
const ARCHITECTURES: readonly string[] = ['x64', 'arm64']

/** asm-generic/errno-base.h */
const EINTR = 4
const EAGAIN = 11

/** bits/socket.h */
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_DONTWAIT = 0x40

/** asm-generic/socket.h */
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const SO_REUSEPORT = 15

/** Longest text of an address, INET6_ADDRSTRLEN; an interface's name, IF_NAMESIZE, fits too. */
const TEXT_SIZE = 46

const SIGNATURES = {
  __errno_location: { return: 'pointer', arguments: [] },
  socket: { return: 'int32', arguments: ['int32', 'int32', 'int32'] },
  setsockopt: { return: 'int32', arguments: ['int32', 'int32', 'int32', 'pointer', 'uint32'] },
  bind: { return: 'int32', arguments: ['int32', 'pointer', 'uint32'] },
  close: { return: 'int32', arguments: ['int32'] },
  recvmmsg: { return: 'int32', arguments: ['int32', 'pointer', 'uint32', 'int32', 'pointer'] },
  inet_pton: { return: 'int32', arguments: ['int32', 'string', 'pointer'] },
  inet_ntop: { return: 'pointer', arguments: ['int32', 'pointer', 'pointer', 'uint32'] },
  if_nametoindex: { return: 'uint32', arguments: ['string'] },
  if_indextoname: { return: 'pointer', arguments: ['uint32', 'pointer'] },
} as const

type Ffi = typeof import('node:ffi')

export type AddressFamily = 2 | 10
/** bits/socket.h */
export const AF_INET = 2
export const AF_INET6 = 10

type SocketOption = 'reuseAddress' | 'reusePort'
const OPTIONS: Readonly<Record<SocketOption, number>> = {
  reuseAddress: SO_REUSEADDR,
  reusePort: SO_REUSEPORT,
}

function load(ffi: Ffi) {
  return ffi.dlopen(null, SIGNATURES).functions
}

/** Opens libc as this process has it loaded; a text says why that can't be. */
export function openLibc(): Libc | string {
  if (process.platform !== 'linux') return `no recvmmsg on ${process.platform}`
  if (!ARCHITECTURES.includes(process.arch) || endianness() !== 'LE') {
    return `structures of ${process.arch} are not known`
  }
  const ffi = withoutWarning(() => process.getBuiltinModule('node:ffi'))
  if (ffi === undefined) return `no node:ffi in Node ${process.versions.node}`
  try {
    return new Libc(ffi, load(ffi))
  } catch (error) {
    return `node:ffi can't be used: ${(error as Error).message}`
  }
}

/**
 * Loads what is experimental without Node's warning of it, which is for the author of the import:
 * docs/decisions/0012 says what it means for a user.
 */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

export class Libc {
  readonly #ffi: Ffi
  readonly #call: ReturnType<typeof load>
  readonly #text = Buffer.from(new ArrayBuffer(TEXT_SIZE))

  constructor(ffi: Ffi, functions: ReturnType<typeof load>) {
    this.#ffi = ffi
    this.#call = functions
  }

  /** Opens a datagram socket that programs started later do not inherit. */
  socket(family: AddressFamily): number {
    return this.#checked('socket', this.#call.socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0))
  }

  setOption(fd: number, option: SocketOption, isOn: boolean): void {
    const value = new Uint8Array(Int32Array.of(isOn ? 1 : 0).buffer)
    const result = this.#call.setsockopt(fd, SOL_SOCKET, OPTIONS[option], value, value.length)
    this.#checked('setsockopt', result)
  }

  bind(fd: number, sockaddr: Uint8Array): void {
    this.#checked('bind', this.#call.bind(fd, sockaddr, sockaddr.length))
  }

  close(fd: number): void {
    this.#checked('close', this.#call.close(fd))
  }

  /**
   * Fills messages with what lies in the socket and never waits.
   * @param messages `count` structures mmsghdr, all of whose pointers are into memory that the
   *   caller holds
   * @returns how many were filled; 0 when nothing lay there
   */
  receiveMessages(fd: number, messages: Uint8Array, count: number): number {
    const filled = this.#call.recvmmsg(fd, messages, count, MSG_DONTWAIT, null)
    if (filled >= 0) return filled
    const errno = this.#errno()
    if (errno === EAGAIN || errno === EINTR) return 0
    throw systemError('recvmmsg', errno)
  }

  /**
   * Gives the address of the first byte, valid for as long as the buffer lives and is not
   * transferred.
   */
  addressOf(buffer: ArrayBufferLike): bigint {
    // its types know no shared buffers, which it takes as well
    return this.#ffi.getRawPointer(buffer as ArrayBuffer)
  }

  /** Writes the address that a literal says; false when it says none. */
  parseAddress(family: AddressFamily, literal: string, target: Uint8Array): boolean {
    return this.#call.inet_pton(family, literal, target) === 1
  }

  /** Writes the usual text of an address, for IPv6 as RFC 5952 wants it. */
  addressText(family: AddressFamily, address: Uint8Array): string {
    const result = this.#call.inet_ntop(family, address, this.#text, TEXT_SIZE)
    if (result === 0n) throw systemError('inet_ntop', this.#errno())
    return this.#textHeld()
  }

  /** Gives the index of an interface; 0 when there is no such one. */
  interfaceIndex(name: string): number {
    return this.#call.if_nametoindex(name)
  }

  /** Names an interface; by the number itself when it is gone. */
  interfaceName(index: number): string {
    const result = this.#call.if_indextoname(index, this.#text)
    return result === 0n ? String(index) : this.#textHeld()
  }

  #textHeld(): string {
    return this.#text.toString('latin1', 0, this.#text.indexOf(0))
  }

  #checked(syscall: string, result: number): number {
    if (result < 0) throw systemError(syscall, this.#errno())
    return result
  }

  /**
   * Reads the error number, at once after a call that failed, before anything else of this thread
   * can fail.
   */
  #errno(): number {
    return this.#ffi.getInt32(this.#call.__errno_location())
  }
}

/** Makes the error `bind EADDRINUSE: address already in use`. */
function systemError(syscall: string, errno: number): NodeJS.ErrnoException {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [`errno ${errno}`, 'unknown error']
  const error: NodeJS.ErrnoException = new Error(`${syscall} ${code}: ${text}`)
  return Object.assign(error, { code, errno: -errno, syscall })
}
