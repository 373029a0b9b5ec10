/** `pentameter encode DIALECT`: the inverse of decode. */
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { CodecOptions } from '../dialects/decoder.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { toHex } from '../model/index.ts'
import { addCodecCommand } from './codec-command.ts'
import { CommandError, EXIT_FAILED } from './exit.ts'

const EXAMPLES = `
Takes what decode prints. Without --lines every line of stdin is one message, and all of them
together become raw bytes on stdout. With --lines every line is {"messages":[…]}, a list of
messages or one message, and becomes one line of hex; several packets are separated by a blank.

Examples:
  $ echo '{"key":"a","value":1,"type":"m"}' | pentameter encode statshero > /dev/tcp/127.0.0.1/8125
  $ echo '{"messages":[{"key":"a","value":1,"type":"m"}]}' | pentameter encode statshero --lines
  $ echo '{"type":"join","application":"a","worker":"w"}' | pentameter encode wallaroo --lines`

export function addEncode(program: Command): void {
  addCodecCommand(program, {
    name: 'encode',
    description: 'turn messages into bytes',
    lines: 'JSON lines in, hex lines out',
    examples: EXAMPLES,
    runAll: encodeAll,
    runLines: encodeLines,
  })
}

async function encodeAll(dialect: Dialect, options: CodecOptions): Promise<void> {
  const lines = (await text(process.stdin)).split('\n').filter((line) => line.trim() !== '')
  const messages = lines.flatMap((line, i) => messagesOf(parse(line, i + 1)))
  for (const packet of encode(dialect, messages, options)) process.stdout.write(packet)
}

async function encodeLines(dialect: Dialect, options: CodecOptions): Promise<void> {
  let number = 0
  for await (const line of createInterface({ input: process.stdin })) {
    number++
    try {
      const packets = encode(dialect, messagesOf(parse(line, number)), options)
      process.stdout.write(`${packets.map(toHex).join(' ')}\n`)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      process.stdout.write('\n')
      process.stderr.write(`line ${number}: ${error.message}\n`)
      process.exitCode = EXIT_FAILED
    }
  }
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new CommandError(`line ${number} is no JSON: ${(error as Error).message}`)
  }
}

function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input
  const messages = (input as { messages?: unknown } | null)?.messages
  return Array.isArray(messages) ? messages : [input]
}

/** Packets of the messages; what the dialect can't say is the caller's error, with its code. */
function encode(
  dialect: Dialect,
  messages: readonly unknown[],
  options: CodecOptions,
): Uint8Array[] {
  try {
    return dialect.encode(messages, options)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw new CommandError(code === undefined ? message : `${code}: ${message}`)
  }
}
