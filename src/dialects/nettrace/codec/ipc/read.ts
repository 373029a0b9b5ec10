/**
 * Messages of Diagnostics IPC out of whole packets (nettrace.md §3):
 *
 *   [magic:14][size:u16][set:u8][id:u8][reserved:u16] payload
 *   string  [n:u32][n × u16], n with the NUL; 0 for none        array  [n:u32] items
 *
 * A command that a runtime would refuse is refused with the same result.
 */
import { toHex } from '../../../../model/index.ts'
import { HRESULT, IPC_HEADER_BYTES, IPC_MAGIC, PROVIDERS_LIMIT } from '../../spec.ts'
import { ByteReader, MALFORMED } from '../byte-reader.ts'
import {
  type Advertisement,
  COLLECT_COMMANDS,
  type CollectCommand,
  type IpcCommand,
  type IpcReply,
  type ProcessFacts,
  type ProcessReplyName,
  type Provider,
} from './messages.ts'
import { COMMANDS, OK, REPLY_SET } from './write.ts'

const LEVEL_MAX = 5
const FORMAT_MAX = 1

/** A command, or the result that it is refused with: eight digits of hex. */
export type ReadCommand =
  | { readonly command: IpcCommand; readonly error?: never }
  | { readonly error: string; readonly command?: never }

/** Packet that is refused with a result. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly result: string

  constructor(result: string) {
    super(`refused with ${result}`)
    this.result = result
  }
}

/**
 * Reads a command as a runtime does: bytes behind its fields, and behind its size, do not matter.
 * @param bytes whole packet
 */
export function readCommand(bytes: Uint8Array): ReadCommand {
  try {
    const { set, id, reader } = openPacket(bytes)
    const message = COMMANDS.find(([, ...code]) => code[0] === set && code[1] === id)?.[0]
    if (message === undefined) throw new Refused(HRESULT.unknownCommand)
    if (message === 'StopTracing') return { command: { message, session: String(reader.u64()) } }
    const collect = COLLECT_COMMANDS.find((name) => name === message)
    if (collect === undefined) return { command: { message } as IpcCommand }
    return { command: readCollect(COLLECT_COMMANDS.indexOf(collect) + 1, reader) }
  } catch (error) {
    if (error === MALFORMED) return { error: HRESULT.badEncoding }
    if (error instanceof Refused) return { error: error.result }
    throw error
  }
}

interface Packet {
  readonly set: number
  readonly id: number
  readonly reader: ByteReader
}

/** @throws {Refused|MALFORMED} */
function openPacket(bytes: Uint8Array): Packet {
  const reader = new ByteReader().open(bytes)
  for (let i = 0; i < IPC_MAGIC.length; i++) {
    if (reader.u8() !== IPC_MAGIC.charCodeAt(i)) throw new Refused(HRESULT.unknownMagic)
  }
  const size = reader.u16()
  const set = reader.u8()
  const id = reader.u8()
  reader.skip(2)
  if (size < IPC_HEADER_BYTES || size > bytes.length) throw MALFORMED
  reader.end = size
  return { set, id, reader }
}

/** @param number of the command, 1 to 6: what its layout has depends on it */
function readCollect(number: number, reader: ByteReader): CollectCommand {
  const message = COLLECT_COMMANDS[number - 1]!
  const sessionType = number >= 5 ? reader.u32() : undefined
  if (sessionType === 1) throw new Refused(HRESULT.notSupported)
  if (sessionType !== undefined && sessionType > 1) throw MALFORMED
  const bufferMB = reader.u32()
  const format = reader.u32()
  if (bufferMB === 0 || format > FORMAT_MAX) throw MALFORMED
  const rundown = number === 2 || number === 3 ? reader.u8() !== 0 : undefined
  const rundownKeyword = number >= 4 ? String(reader.u64()) : undefined
  const stacks = number >= 3 ? reader.u8() !== 0 : undefined
  const count = reader.u32()
  if (count === 0 || count > PROVIDERS_LIMIT) throw MALFORMED
  const providers: Provider[] = []
  for (let i = 0; i < count; i++) providers.push(readProvider(reader, number >= 5))
  const bufferMode = number >= 6 ? reader.u32() : undefined
  const command = {
    ...{ message, sessionType, bufferMB, format, rundown, rundownKeyword, stacks, providers },
    bufferMode,
  }
  return without(command) as CollectCommand
}

/** Leaves out what is undefined. */
function without(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function readProvider(reader: ByteReader, hasFilter: boolean): Provider {
  const bits = reader.u64()
  const keywords = bits <= Number.MAX_SAFE_INTEGER ? Number(bits) : String(bits)
  const level = reader.u32()
  const name = readString(reader)
  const args = readString(reader)
  if (level > LEVEL_MAX || name === '') throw MALFORMED
  const provider = { keywords, level, name, arguments: args }
  if (!hasFilter) return provider
  const enable = reader.u8() !== 0
  const count = reader.u32()
  if (count > reader.left / 4) throw MALFORMED
  const eventIds = Array.from({ length: count }, () => reader.u32())
  return { ...provider, filter: { enable, eventIds } }
}

function readString(reader: ByteReader): string {
  const count = reader.u32()
  if (count === 0) return ''
  const text = reader.utf16(count)
  if (!text.endsWith('\0')) throw MALFORMED
  return text.slice(0, -1)
}

/**
 * Reads a reply, of any command: the bytes say which one.
 * @param bytes whole packet
 * @returns undefined for no reply, and for one of no known layout
 */
export function readReply(bytes: Uint8Array): IpcReply | undefined {
  return guarded(() => {
    const { set, id, reader } = openPacket(bytes)
    if (set !== REPLY_SET) return undefined
    if (id !== OK) return { message: 'Error', code: hex32(reader.u32()) }
    // ResumeRuntime is answered with four bytes that mean nothing
    if (reader.left === 0 || reader.left === 4) return { message: 'OK' }
    if (reader.left === 8) return { message: 'OK', session: String(reader.u64()) }
    const start = reader.at
    for (const version of [3, 2, 1] as const) {
      const facts = guarded(() => readFacts(version, reader))
      if (facts !== undefined) return facts
      reader.at = start
    }
    return undefined
  })
}

/** @returns undefined for bytes that are no facts of this version, to the last one */
function readFacts(version: 1 | 2 | 3, reader: ByteReader): IpcReply | undefined {
  const message: ProcessReplyName =
    version === 1 ? 'ProcessInfoReply' : `ProcessInfo${version}Reply`
  const own = version === 3 ? { version: reader.u32() } : {}
  const pid = String(reader.u64())
  const cookie = toHex(reader.bytes(16))
  const [commandLine, os, arch] = [readString(reader), readString(reader), readString(reader)]
  let facts: ProcessFacts = { ...own, pid, cookie, commandLine, os, arch }
  if (version > 1) {
    const [entryAssembly, clrVersion] = [readString(reader), readString(reader)]
    facts = { ...facts, entryAssembly, clrVersion }
  }
  if (version === 3) {
    if (facts.version === 0) return undefined
    facts = { ...facts, runtimeIdentifier: readString(reader) }
    // later versions only append
    if (facts.version! > 1) reader.at = reader.end
  }
  return reader.left === 0 ? { message, ...facts } : undefined
}

/** Reads the 34 bytes that a runtime sends when it has dialled a listener. */
export function readAdvertisement(bytes: Uint8Array): Advertisement | undefined {
  return guarded(() => {
    const reader = new ByteReader().open(bytes)
    reader.skip(8)
    const cookie = toHex(reader.bytes(16))
    return { message: 'Advertise', cookie, pid: String(reader.u64()) }
  })
}

function guarded<T>(read: () => T | undefined): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error === MALFORMED || error instanceof Refused) return undefined
    throw error
  }
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0')
}
