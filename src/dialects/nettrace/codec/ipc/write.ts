/** Packets of Diagnostics IPC out of messages (nettrace.md §3); the inverse of read.ts. */
import { fromHex } from '../../../../model/index.ts'
import { ADVERTISE_MAGIC, IPC_BYTES_LIMIT, IPC_HEADER_BYTES, IPC_MAGIC } from '../../spec.ts'
import { ByteWriter } from '../byte-writer.ts'
import { failure } from '../payload.ts'
import type { CollectCommand, IpcMessage, ProcessFacts, Provider } from './messages.ts'

/** Commands that are known, by set and id. */
export const COMMANDS: readonly (readonly [name: string, set: number, id: number])[] = [
  ['StopTracing', 2, 1],
  ['CollectTracing', 2, 2],
  ['CollectTracing2', 2, 3],
  ['CollectTracing3', 2, 4],
  ['CollectTracing4', 2, 5],
  ['CollectTracing5', 2, 6],
  ['CollectTracing6', 2, 7],
  ['ProcessInfo', 4, 0],
  ['ResumeRuntime', 4, 1],
  ['ProcessInfo2', 4, 4],
  ['ProcessInfo3', 4, 8],
]

/** Set of replies, and the ids of the good and the bad ones. */
export const REPLY_SET = 0xff
export const OK = 0
const ERROR = 0xff

const COOKIE = /^[0-9a-f]{32}$/i
const U64_MAX = 2n ** 64n - 1n

/**
 * Writes a message as one whole packet, so that it can be sent at once: the process that reads it
 * waits for no other client meanwhile.
 * @throws {EncodeError} bad_message for what is no message, bad_value for a value of none
 */
export function writeIpc(message: IpcMessage): Uint8Array {
  if (message.message === 'Advertise') {
    const out = new ByteWriter().ascii(ADVERTISE_MAGIC).raw(cookieOf(message.cookie))
    return out.u64(u64(message.pid)).u16(0).take()
  }
  const [set, id] = codeOf(message.message)
  const payload = new ByteWriter()
  writePayloadOf(payload, message)
  const size = IPC_HEADER_BYTES + payload.size
  if (size > IPC_BYTES_LIMIT) throw failure('bad_value', `message of ${size} bytes`)
  const out = new ByteWriter().ascii(IPC_MAGIC).u16(size).u8(set).u8(id).u16(0)
  return out.raw(payload.written).take()
}

function codeOf(name: string): readonly [number, number] {
  if (name === 'Error') return [REPLY_SET, ERROR]
  if (name === 'OK' || /^ProcessInfo[23]?Reply$/.test(name)) return [REPLY_SET, OK]
  const code = COMMANDS.find(([each]) => each === name)
  if (code === undefined) throw failure('bad_message', `there is no message ${name}`)
  return [code[1], code[2]]
}

function writePayloadOf(out: ByteWriter, message: Exclude<IpcMessage, { message: 'Advertise' }>) {
  if (message.message === 'StopTracing') out.u64(u64(message.session))
  else if (message.message === 'OK' && message.session !== undefined) out.u64(u64(message.session))
  else if (message.message === 'Error') out.u32(hresult(message.code))
  else if ('providers' in message) writeCollect(out, message)
  else if ('commandLine' in message) writeFacts(out, message)
  else if (message.message.startsWith('Collect') || message.message.endsWith('Reply')) {
    throw failure('bad_message', `${message.message} without its fields`)
  }
}

function writeCollect(out: ByteWriter, command: CollectCommand): void {
  const number = Number(/\d$/.exec(command.message)?.[0] ?? 1)
  const { bufferMB, format, rundown = false, rundownKeyword = '0', stacks = false } = command
  if (number >= 5) out.u32(u32(command.sessionType ?? 0))
  out.u32(u32(bufferMB)).u32(u32(format))
  if (number === 2 || number === 3) out.u8(rundown ? 1 : 0)
  if (number >= 4) out.u64(u64(rundownKeyword))
  if (number >= 3) out.u8(stacks ? 1 : 0)
  out.u32(command.providers.length)
  for (const provider of command.providers) writeProvider(out, provider, number >= 5)
  if (number >= 6) out.u32(u32(command.bufferMode ?? 0))
}

function writeProvider(out: ByteWriter, provider: Provider, hasFilter: boolean): void {
  const { keywords, level, name, filter = { enable: false, eventIds: [] } } = provider
  out.u64(u64(keywords)).u32(u32(level))
  writeString(out, name)
  writeString(out, provider.arguments)
  if (!hasFilter) return
  out.u8(filter.enable ? 1 : 0).u32(filter.eventIds.length)
  for (const id of filter.eventIds) out.u32(u32(id))
}

function writeFacts(out: ByteWriter, facts: { readonly message: string } & ProcessFacts): void {
  if (facts.version !== undefined) out.u32(u32(facts.version))
  out.u64(u64(facts.pid)).raw(cookieOf(facts.cookie))
  const { commandLine, os, arch, entryAssembly, clrVersion, runtimeIdentifier } = facts
  for (const text of [commandLine, os, arch, entryAssembly, clrVersion, runtimeIdentifier]) {
    if (text !== undefined) writeString(out, text)
  }
}

function writeString(out: ByteWriter, text: string): void {
  if (typeof text !== 'string') throw failure('bad_value', `${String(text)} is no text`)
  out.u32(text.length + 1).utf16z(text)
}

function u32(value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff) return value
  throw failure('bad_value', `${String(value)} is no number of 32 bits`)
}

function u64(value: number | string): bigint {
  const isWhole = typeof value === 'string' ? /^\d{1,20}$/.test(value) : Number.isSafeInteger(value)
  const number = isWhole ? BigInt(value) : -1n
  if (number >= 0n && number <= U64_MAX) return number
  throw failure('bad_value', `${String(value)} is no number of 64 bits`)
}

function hresult(code: string): number {
  if (/^[0-9a-f]{8}$/i.test(code)) return Number.parseInt(code, 16)
  throw failure('bad_value', `${String(code)} is no result`)
}

function cookieOf(cookie: string): Uint8Array {
  if (COOKIE.test(cookie)) return fromHex(cookie)
  throw failure('bad_value', 'cookie of other than 32 digits of hex')
}
