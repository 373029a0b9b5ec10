/**
 * `pentameter send`: messages to a hub or to any peer of a dialect, from any shell, and what it
 * answers. A message is the dialect's own text where it has one, or else what `decode` prints, as
 * JSON or in the looser spelling of YAML, which needs no quotes.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { decodeWhole } from '../../dialects/decoder.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { Target } from '../../dialects/endpoints.ts'
import type { Guest } from '../../dialects/guest.ts'
import { parseTarget } from '../../hub/config/target.ts'
import { addressText } from '../../model/text/address.ts'
import { escapeUnseen, unseenJson } from '../../model/text/unseen.ts'
import { CommandError, EXIT_USAGE } from '../../terminal/exit.ts'
import { decimal } from '../../terminal/flag-values.ts'
import { examplesText } from '../help.ts'

interface SendOptions {
  readonly to: string
  readonly for?: number
}

/** Time within which a connection must be there, and within which it must end, ms. */
const CONNECT_LIMIT_MS = 5000
const END_LIMIT_MS = 5000
/** Time in which a machine says that no process listens for datagrams, ms. */
const REFUSAL_MS = 100
const LONGEST_S = 3600

const HELP = `
Without messages each line of stdin is one. Addresses are those of --relay and --attach; without a
port they mean the dialect's own. Over tcp a message that nobody takes is an error; over udp it is
one only where the machine says that nobody listens. --for prints what comes back as JSON lines.`

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
      if (target.transport === 'udp') await sendDatagrams(packets, target)
      else await sendStream(dialect, packets, target, forS)
      const count = texts.length === 1 ? '1 message' : `${texts.length} messages`
      process.stderr.write(
        `sent ${count} to ${addressText(target.host, target.port)} by ${target.transport}\n`,
      )
    })
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
  try {
    return dialect.encode(texts.map(parseYaml), { transport, role: 'client' })
  } catch (error) {
    const { message } = error as Error
    throw new CommandError(`${message}; want what \`pentameter decode ${dialect.name}\` prints`)
  }
}

function checked(dialect: Dialect, text: string, packet: Uint8Array): Uint8Array {
  const [error] = decodeWhole(dialect.createDecoder(), packet).errors
  if (error === undefined) return packet
  throw new CommandError(`${escapeUnseen(text)}: ${error.code}, no message of ${dialect.title}`)
}

async function sendDatagrams(packets: readonly Uint8Array[], target: Target): Promise<void> {
  const socket = createSocket(target.host.includes(':') ? 'udp6' : 'udp4')
  const refusal = new Promise<never>((_, reject) => socket.once('error', reject))
  try {
    socket.connect(target.port, target.host)
    await Promise.race([once(socket, 'connect'), refusal])
    for (const packet of packets) {
      await Promise.race([new Promise((resolve) => socket.send(packet, resolve)), refusal])
    }
    await Promise.race([pause(REFUSAL_MS), refusal])
  } catch (error) {
    throw notSent(target, error)
  } finally {
    socket.close()
  }
}

async function sendStream(
  dialect: Dialect,
  packets: readonly Uint8Array[],
  target: Target,
  forS: number | undefined,
): Promise<void> {
  const { host, port } = target
  const socket = connect({ host, port, allowHalfOpen: true })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) })
    const ended = once(socket, 'end')
    ended.catch(() => {})
    if (forS === undefined) socket.resume()
    else printAnswers(dialect, (take) => socket.on('data', take))
    for (const packet of packets) socket.write(packet)
    if (forS !== undefined) await Promise.race([pause(forS * 1000), ended])
    socket.end()
    await Promise.race([ended, pause(END_LIMIT_MS)])
  } catch (error) {
    throw notSent(target, error)
  } finally {
    socket.destroy()
  }
}

/** Prints messages and errors as they come. */
function printAnswers(dialect: Dialect, on: (take: (bytes: Uint8Array) => void) => void): void {
  const decoder = dialect.createDecoder({ role: 'client', transport: 'tcp' })
  let [messages, errors] = [0, 0]
  on((bytes) => {
    decoder.push(bytes)
    for (; messages < decoder.messages.length; messages++) {
      process.stdout.write(`${unseenJson(decoder.messages[messages])}\n`)
    }
    for (; errors < decoder.errors.length; errors++) {
      process.stderr.write(`${decoder.errors[errors]!.code} in the answer\n`)
    }
  })
}

/** Waits, and keeps nothing from ending meanwhile. */
function pause(ms: number): Promise<void> {
  return wait(ms, undefined, { ref: false })
}

function notSent(target: Target, error: unknown): CommandError {
  const { code, message, name } = error as NodeJS.ErrnoException
  const place = addressText(target.host, target.port)
  if (code === 'ECONNREFUSED') {
    return new CommandError(`nobody listens at ${place}; \`pentameter serve\` starts a hub`)
  }
  const why = name === 'AbortError' ? `no answer within ${CONNECT_LIMIT_MS / 1000} s` : message
  return new CommandError(`not sent to ${place}: ${why}`)
}
