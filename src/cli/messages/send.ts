/**
 * `pentameter send`: messages to a hub or to any peer of a dialect, from any shell, and what it
 * answers. A message is the dialect's own text where it has one, or else what `decode` prints, as
 * JSON or in the looser spelling of YAML, which needs no quotes.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import { decodeWhole } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { Target } from '../../dialects/endpoints.ts'
import type { Guest } from '../../dialects/guest.ts'
import { parseTarget } from '../../hub/config/target.ts'
import { addressText } from '../../model/text/address.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { CommandError, EXIT_USAGE } from '../../terminal/exit.ts'
import { decimal } from '../../terminal/flag-values.ts'
import { examplesText } from '../help.ts'
import { encode } from './codec.ts'
import { notSent, pause, REFUSAL_MS, sendStream } from './send-stream.ts'

interface SendOptions {
  readonly to: string
  readonly for?: number
}

const LONGEST_S = 3600

const HELP = `
Without messages each line of stdin is one. Addresses are those of --relay and --attach; without a
port they mean the dialect's own. No dialect confirms messages; it is an error when the peer resets
or closes the connection, or answers in another protocol, and over udp when the machine says that
nobody listens. --for prints what comes back as JSON lines.`

export function addSend(program: Command, guests: readonly Guest[]): void {
  const dialects = guests.map(({ dialect }) => dialect)
  const first = dialects.find(({ packetOf, port }) => packetOf !== undefined && port !== undefined)
  const home = first && `${first.name}+tcp://127.0.0.1:${first.port!.number}`
  const lines = first === undefined ? '' : `lines of ${first.title}, or `
  program
    .command('send')
    .description('send messages to a hub, or to a peer of any dialect')
    .argument('[messages...]', `${lines}what decode prints`)
    .addOption(
      new Option('--to <url>', 'DIALECT+TRANSPORT://HOST:PORT')
        .default(home)
        .makeOptionMandatory(home === undefined),
    )
    .option(
      '--for <seconds>',
      'stay so long, and print what comes back',
      decimal({ min: 0, max: LONGEST_S }),
    )
    .addHelpText('after', `${HELP}\n\n${examplesText(guests, 'send')}`)
    .action(async (messages: string[], { to, for: forS }: SendOptions) => {
      const { dialect, target } = parseTarget(to, dialects)
      if (forS !== undefined && target.transport === 'udp') {
        throw new CommandError('--for waits for answers, which come by tcp only', EXIT_USAGE)
      }
      const texts = messages.length > 0 ? messages : await linesOfStdin()
      if (texts.length === 0) throw new CommandError('no message to send', EXIT_USAGE)
      const packets = await packetsOf(dialect, target, texts)
      const { host, port, transport } = target
      const known =
        transport === 'udp'
          ? await sendDatagrams(packets, target)
          : await sendStream(dialect, packets, target, { ...greeterOf(dialect, dialects), forS })
      const count = texts.length === 1 ? '1 message' : `${texts.length} messages`
      const place = addressText(host, port)
      process.stderr.write(`handed ${count} to ${place} by ${transport}; ${known}\n`)
    })
}

/** Finds the dialect that speaks first at a port that this one shares. */
function greeterOf({ port }: Dialect, dialects: readonly Dialect[]): { greeter?: Dialect } {
  const greeter = dialects.find((other) => other.speaksFirst && other.port === port)
  return greeter === undefined ? {} : { greeter }
}

async function linesOfStdin(): Promise<string[]> {
  const lines: string[] = []
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') lines.push(line)
  }
  return lines
}

/** @throws {CommandError} for a message that the dialect does not have */
async function packetsOf(
  dialect: Dialect,
  { transport }: Target,
  texts: readonly string[],
): Promise<readonly Uint8Array[]> {
  if (dialect.packetOf !== undefined) {
    return texts.map((text) => checked(dialect, text, dialect.packetOf!(text)))
  }
  const { parseYaml } = await import('../config-file.ts')
  const messageOf = (text: string) => usualNumbers(parseYaml(text, { intAsBigInt: true }))
  try {
    return encode(dialect, texts.map(messageOf), { transport, role: 'client' })
  } catch (error) {
    const { message } = error as Error
    throw new CommandError(`${message}; want what \`pentameter decode ${dialect.name}\` prints`)
  }
}

/** Makes numbers of bigints, but for those that would be rounded. */
function usualNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(usualNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, usualNumbers(each)]))
}

function checked(dialect: Dialect, text: string, packet: Uint8Array): Uint8Array {
  const [error] = decodeWhole(dialect.createDecoder(), packet).errors
  if (error === undefined) return packet
  throw new CommandError(`${escapeUnseen(text)}: ${error.code}, no message of ${dialect.title}`)
}

/** @returns what is known of them then */
async function sendDatagrams(packets: readonly Uint8Array[], target: Target): Promise<string> {
  const socket = createSocket(target.host.includes(':') ? 'udp6' : 'udp4')
  const refusal = new Promise<never>((_, reject) => socket.once('error', reject))
  try {
    socket.connect(target.port, target.host)
    await Promise.race([once(socket, 'connect'), refusal])
    for (const packet of packets) {
      await Promise.race([new Promise((resolve) => socket.send(packet, resolve)), refusal])
    }
    await Promise.race([pause(REFUSAL_MS), refusal])
    return 'whether they arrived, udp does not tell'
  } catch (error) {
    throw notSent(target, error as Error)
  } finally {
    socket.close()
  }
}
