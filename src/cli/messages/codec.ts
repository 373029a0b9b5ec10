/**
 * `pentameter decode DIALECT [FILE]` and its inverse `encode`: captured bytes in, one JSON object
 * per message out, and back.
 */

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { Argument, type Command, Option } from 'commander'
import { type CodecOptions, decodeWhole } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { Guest } from '../../dialects/guest.ts'
import { fromHex, toHex } from '../../model/index.ts'
import { escapeUnseen, unseenJson } from '../../model/text/unseen.ts'
import { CommandError, EXIT_FAILED, EXIT_USAGE } from '../../terminal/exit.ts'
import { examplesText } from '../help.ts'
import { misspeltFields, misspeltText } from './misspelt-fields.ts'

const DECODE_HELP = `
Without --lines all of the file is one datagram or stream; every message becomes a JSON line, errors
go to stderr. With --lines every line of it is one datagram, frame or stream in hex and becomes
exactly one JSON line: {"messages":[…],"errors":[{"code","offset","resync"}],"notes":[…]}. What
a line is, the dialect finds out by its bytes, if they say it; --transport says it otherwise.`

const ENCODE_HELP = `
Takes what decode prints. Without --lines every line of stdin is one message, and all of them
together become raw bytes on stdout. With --lines every line is {"messages":[…]}, a list of
messages or one message, and becomes one line of hex; several packets are separated by a blank.`

export function addDecode(program: Command, guests: readonly Guest[]): void {
  addCodecCommand(program, guests, {
    name: 'decode',
    description: 'print what captured bytes say',
    lines: 'hex lines in, JSON lines out',
    help: DECODE_HELP,
    hasFile: true,
    runAll: decodeAll,
    runLines: decodeLines,
  }).option('--strict', 'the strict reading, where the specification has a lenient one too')
}

export function addEncode(program: Command, guests: readonly Guest[]): void {
  addCodecCommand(program, guests, {
    name: 'encode',
    description: 'turn messages into bytes',
    lines: 'JSON lines in, hex lines out',
    help: ENCODE_HELP,
    hasFile: false,
    runAll: encodeAll,
    runLines: encodeLines,
  })
}

/** One of the two directions, as a sub-command. */
interface CodecCommand {
  readonly name: 'decode' | 'encode'
  readonly description: string
  /** Description of --lines. */
  readonly lines: string
  readonly help: string
  /** Whether it reads a file that is named, and not only stdin. */
  readonly hasFile: boolean
  runAll(dialect: Dialect, options: CodecOptions, input: Readable): Promise<void>
  runLines(dialect: Dialect, options: CodecOptions, input: Readable): Promise<void>
}

function addCodecCommand(
  program: Command,
  guests: readonly Guest[],
  { name, description, lines, help, hasFile, runAll, runLines }: CodecCommand,
): Command {
  const dialects = new Map(guests.map(({ dialect }) => [dialect.name, dialect]))
  const choice = (flag: string, description: string, choices: readonly string[]): Option =>
    new Option(flag, description).choices(choices)
  const command = program
    .command(name)
    .description(description)
    .addArgument(new Argument('<dialect>', 'which protocol').choices([...dialects.keys()]))
  if (hasFile) command.argument('[file]', 'captured bytes; stdin without it')
  command
    .option('--lines', lines)
    .addOption(
      choice('--profile <profile>', 'as the document says, or as the real programs do', [
        ...['document', 'peer'],
      ]),
    )
    .addOption(
      choice('--role <role>', 'whose side this is, where the directions differ', [
        ...['server', 'client'],
      ]),
    )
    .addOption(
      choice('--transport <transport>', 'udp: whole messages; tcp: a stream', ['udp', 'tcp']),
    )
  const own = name === 'encode' ? ownOptions([...dialects.values()]) : []
  for (const { flag, description } of own) command.option(flag, description)
  return command
    .addHelpText('after', `${help}\n\n${examplesText(guests, name)}`)
    .action(async (chosen: string, ...rest: unknown[]) => {
      const file = hasFile ? (rest[0] as string | undefined) : undefined
      const args = rest[hasFile ? 1 : 0] as CodecOptions & { lines?: boolean }
      const { lines, ...options } = args
      const foreign = own.find(({ name, dialect }) => name in options && dialect !== chosen)
      if (foreign !== undefined) {
        throw new CommandError(`${foreign.flag} is of ${foreign.dialect} alone`, EXIT_USAGE)
      }
      const input = file === undefined ? process.stdin : createReadStream(file)
      try {
        await (lines ? runLines : runAll)(dialects.get(chosen)!, options, input)
      } catch (error) {
        const { code, path, syscall, message } = error as NodeJS.ErrnoException
        // the error of a file that can't be opened names it, one while it is read does not
        const isOfFile = file !== undefined && (path === file || syscall === 'read')
        if (code === undefined || !isOfFile) throw error
        throw new CommandError(`can't read ${escapeUnseen(file)}: ${message}`)
      }
    })
}

/** Options of encoding that one dialect alone has, as flags. */
function ownOptions(dialects: readonly Dialect[]) {
  return dialects.flatMap(({ name: dialect, encodeOptions = {} }) =>
    Object.entries(encodeOptions).map(([name, { flag, description }]) => {
      return { dialect, name, flag, description: `${dialect}, ${description}` }
    }),
  )
}

async function decodeAll(dialect: Dialect, options: CodecOptions, input: Readable): Promise<void> {
  const { messages, errors, notes } = decode(dialect, await buffer(input), options)
  for (const message of messages) process.stdout.write(`${unseenJson(message)}\n`)
  for (const note of notes) process.stderr.write(`note: ${escapeUnseen(note)}\n`)
  for (const { code, offset, resync } of errors) {
    const consequence = resync ? 'nothing else is lost' : 'what follows could not be read'
    process.stderr.write(`${code} at byte ${offset}: ${consequence}\n`)
  }
  if (errors.length > 0) process.exitCode = EXIT_FAILED
}

async function decodeLines(
  dialect: Dialect,
  options: CodecOptions,
  input: Readable,
): Promise<void> {
  for await (const line of createInterface({ input })) {
    process.stdout.write(`${unseenJson(decodeHexLine(dialect, line, options))}\n`)
  }
}

interface DecodeAnswer {
  readonly messages: readonly unknown[]
  readonly errors: readonly { code: string; offset: number; resync: boolean }[]
  readonly notes: readonly string[]
}

/** Decodes one line of `decode --lines`; a line that is no hex is an error of its own. */
function decodeHexLine(dialect: Dialect, line: string, options: CodecOptions): DecodeAnswer {
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
  const { messages, errors, notes } = decodeWhole(dialect.createDecoder(options), bytes)
  const plain = errors.map(({ code, offset, resync }) => ({ code, offset, resync }))
  return { messages, errors: plain, notes }
}

async function encodeAll(dialect: Dialect, options: CodecOptions, input: Readable): Promise<void> {
  const lines = (await text(input)).split('\n').filter((line) => line.trim() !== '')
  const messages = lines.flatMap((line, i) => messagesOf(parse(line, i + 1)))
  for (const packet of encode(dialect, messages, options)) process.stdout.write(packet)
}

async function encodeLines(
  dialect: Dialect,
  options: CodecOptions,
  input: Readable,
): Promise<void> {
  let number = 0
  for await (const line of createInterface({ input })) {
    number++
    try {
      const packets = encode(dialect, messagesOf(parse(line, number)), options)
      process.stdout.write(`${packets.map(toHex).join(' ')}\n`)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      process.stdout.write('\n')
      process.stderr.write(`line ${number}: ${escapeUnseen(error.message)}\n`)
      process.exitCode = EXIT_FAILED
    }
  }
}

/** Reads JSON, in which a number that would be rounded is refused. */
function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line, exactNumber)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`line ${number} is no JSON: ${(error as Error).message}`)
  }
}

/**
 * Refuses numbers that JavaScript makes another whole number of, and those beyond all doubles; what
 * `decode` prints is taken.
 */
function exactNumber(key: string, value: unknown, context?: { readonly source?: string }) {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  if (Number.isFinite(value) && (!Number.isInteger(value) || isExact(source, value))) return value
  // all digits: 1e+30 would not show how it differs from 1e30
  const rounded = Number.isFinite(value) ? `rounded to ${BigInt(value)}` : String(value)
  const place = key === '' ? '' : `${key}: `
  throw new CommandError(`bad_value: ${place}${source} would be ${rounded}; write it as text`)
}

/** Tells whether a number of JSON is this whole number. */
function isExact(source: string, value: number): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = BigInt(`${sign}${whole}${fraction}`)
  const places = Number(exponent) - fraction.length
  if (digits === 0n) return value === 0
  // digits of a finite number beyond these would be zeros
  if (Math.abs(places) > source.length + 400) return false
  return places >= 0
    ? digits * 10n ** BigInt(places) === BigInt(value)
    : digits === BigInt(value) * 10n ** BigInt(-places)
}

function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input
  const messages = (input as { messages?: unknown } | null)?.messages
  return Array.isArray(messages) ? messages : [input]
}

/**
 * Encodes the messages; one that the dialect can't say is an error with the dialect's code, and so
 * is one with a field that is misspelt and would be left out.
 */
export function encode(
  dialect: Dialect,
  messages: readonly unknown[],
  options: CodecOptions,
): Uint8Array[] {
  let packets: Uint8Array[]
  const hints = (): string => {
    const misspelt = misspeltFields(messages, (each) => dialect.encode(each, options))
    return escapeUnseen(misspeltText(misspelt))
  }
  try {
    packets = dialect.encode(messages, options)
  } catch (error) {
    throw new CommandError(
      [encodeErrorText(dialect, error as Error), hints()].filter(Boolean).join('; '),
    )
  }
  const problems = hints()
  if (problems !== '') throw new CommandError(problems)
  return packets
}

/** Tells why a message can't be said: the code first, and once. */
function encodeErrorText({ name }: Dialect, error: Error & { code?: string }): string {
  const { code, message } = error
  if (code === undefined) return message
  const own = `${name}: `
  return message.startsWith(`${own}${code}: `) ? message.slice(own.length) : `${code}: ${message}`
}
