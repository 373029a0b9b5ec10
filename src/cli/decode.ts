/** `pentameter decode DIALECT`: bytes in, one JSON object per message, datagram or stream out. */
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { CodecOptions } from '../dialects/decoder.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { fromHex } from '../model/index.ts'
import { addCodecCommand } from './codec-command.ts'
import { EXIT_FAILED } from './exit.ts'

const EXAMPLES = `
Without --lines all of stdin is one datagram or stream; every message becomes a JSON line, errors go
to stderr. With --lines every line of stdin is one datagram, frame or stream in hex and becomes
exactly one JSON line: {"messages":[…],"errors":[{"code","offset","resync"}],"notes":[…]}. What
a line is, the dialect finds out; Stats Hero takes it as a datagram, and as a stream with
--transport tcp.

Examples:
  $ printf '1|6\\na:1|m\\n' | pentameter decode statshero
  $ echo 317c360a613a317c6d0a | pentameter decode statshero --lines
  $ echo 82a17400a16480 | pentameter decode scope --role client --lines
  $ echo 0000000101 | pentameter decode wallaroo --lines`

export function addDecode(program: Command): void {
  addCodecCommand(program, {
    name: 'decode',
    description: 'print what captured bytes say',
    lines: 'hex lines in, JSON lines out',
    examples: EXAMPLES,
    runAll: decodeAll,
    runLines: decodeLines,
  }).option('--strict', 'the strict reading, where the specification has a lenient one too')
}

async function decodeAll(dialect: Dialect, options: CodecOptions): Promise<void> {
  const { messages, errors, notes } = decode(dialect, await buffer(process.stdin), options)
  for (const message of messages) process.stdout.write(`${JSON.stringify(message)}\n`)
  for (const note of notes) process.stderr.write(`note: ${note}\n`)
  for (const { code, offset, resync } of errors) {
    const consequence = resync ? 'nothing else is lost' : 'what follows could not be read'
    process.stderr.write(`${code} at byte ${offset}: ${consequence}\n`)
  }
  if (errors.length > 0) process.exitCode = EXIT_FAILED
}

async function decodeLines(dialect: Dialect, options: CodecOptions): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(decodeHexLine(dialect, line, options))}\n`)
  }
}

export interface DecodeAnswer {
  readonly messages: readonly unknown[]
  readonly errors: readonly { code: string; offset: number; resync: boolean }[]
  readonly notes: readonly string[]
}

/** One line of `decode --lines`; a line that is no hex is an error of its own. */
export function decodeHexLine(dialect: Dialect, line: string, options: CodecOptions): DecodeAnswer {
  let bytes: Uint8Array
  try {
    bytes = fromHex(line.trim())
  } catch (error) {
    const notes = [(error as Error).message]
    return { messages: [], errors: [{ code: 'bad_hex', offset: 0, resync: true }], notes }
  }
  const transport = options.transport ?? dialect.guessTransport?.(bytes, options.role)
  return decode(dialect, bytes, transport === undefined ? options : { ...options, transport })
}

function decode(dialect: Dialect, bytes: Uint8Array, options: CodecOptions): DecodeAnswer {
  const decoder = dialect.createDecoder(options)
  decoder.push(bytes)
  decoder.end()
  const errors = decoder.errors.map(({ code, offset, resync }) => ({ code, offset, resync }))
  return { messages: decoder.messages, errors, notes: decoder.notes }
}
