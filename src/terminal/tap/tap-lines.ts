/**
 * What a tap tells, as lines: a message each, errors with their bytes and what was lost, packets in
 * hex, and how much was left out (terminal.md).
 */
import type { TapErrorEvent, TapPacketEvent, TapSkippedEvent } from '../../http/api.ts'
import { fromHex } from '../../model/index.ts'
import { escapeUnseen, unseenJson } from '../../model/text/unseen.ts'
import { countText } from '../../viewer/format/seen.ts'
import { clockText } from '../../viewer/format/time.ts'
import { CommandError } from '../exit.ts'
import type { Hub } from '../hub/connect.ts'
import { LineOutput } from '../hub/line-output.ts'
import { ScreenBuffer } from '../screen-buffer.ts'
import { findListener, TapStream } from './tap-stream.ts'
import { type Part, wrapLine } from './wrap.ts'

export interface TapOptions {
  readonly json?: true
  readonly hex?: true
  readonly color: boolean
  /** Lines after which it ends; never unless given. */
  readonly limit?: number
}

type Origin = Pick<TapPacketEvent, 'timeMs' | 'dialect' | 'transport' | 'peer'>

/** Blanks before a line that goes on with the one above: as wide as a time. */
const INDENT = ' '.repeat(13)
/** Bytes of a line in hex: a power of two, so that places are easy to find. */
const HEX_COLUMNS = 16

/** Prints until it is ended. @returns when it is over */
export async function printTap(hub: Hub, wanted: string, options: TapOptions): Promise<void> {
  await new TapLines(hub, await findListener(hub, wanted), options).run()
}

class TapLines {
  readonly #options: TapOptions
  readonly #output: LineOutput
  readonly #stream: TapStream
  #messages = 0
  #errors = 0
  #skipped = 0
  #refusal: string | undefined

  constructor(hub: Hub, listener: string, options: TapOptions) {
    this.#options = options
    const output = new LineOutput(options)
    this.#output = output
    this.#stream = new TapStream(hub, listener, options.hex === true, {
      onHello: ({ dialects }) => {
        output.tell(`listener ${listener} of ${hub.address.name}: ${dialects.join(', ')}`)
      },
      onPacket: (event) => this.#onPacket(event),
      onError: (event) => this.#onError(event),
      onSkipped: (event) => this.#onSkipped(event),
      onLost: () => output.tell(`connection to ${hub.address.name} lost, trying again`),
      onRefused: (words) => {
        this.#refusal = words
        output.end()
      },
    })
  }

  async run(): Promise<void> {
    const stream = this.#stream
    await this.#output.run({
      start: () => stream.open(),
      stop: () => stream.close(),
      seen: () => [
        countText(this.#messages, 'message'),
        countText(this.#errors + stream.losses, 'error'),
        ...(this.#skipped === 0 ? [] : [`${countText(this.#skipped, 'message')} left out`]),
      ],
    })
    if (this.#refusal !== undefined) throw new CommandError(this.#refusal)
  }

  #onPacket(event: TapPacketEvent): void {
    const { messages, bytes, hex } = event
    this.#messages += messages.length
    if (this.#options.json) {
      const head = headJson(event)
      if (hex !== undefined) this.#output.write(unseenJson({ ...head, bytes, hex, messages }))
      else for (const message of messages) this.#output.write(unseenJson({ ...head, message }))
      return
    }
    if (hex !== undefined) {
      this.#title([...head(event), [' '], [countText(bytes, 'byte'), 'bold']])
      this.#printBytes(hex, bytes)
    }
    for (const message of messages) {
      this.#output.write(this.#wrapped(event, fieldsOf(message)))
    }
  }

  #onError(event: TapErrorEvent): void {
    this.#errors++
    const { code, offset, resync, detail, hex } = event
    if (this.#options.json) {
      const error = { code, offset, resync, detail, hex }
      this.#output.write(unseenJson({ ...headJson(event), error }))
      return
    }
    const lost = resync ? 'nothing else is lost' : 'what follows could not be read'
    const words = `${escapeUnseen(detail)}; ${lost}`.split(' ')
    const title: readonly Part[] = [[`■ ${code} at ${offset}`, 'lost'], [':']]
    this.#output.write(this.#wrapped(event, [title, ...words.map((word) => [[word] as const])]))
    const bytes = fromHex(hex)
    const room = this.#output.columns - INDENT.length - 4
    const shown = Math.min(bytes.length, Math.max(1, Math.floor(room / 4)))
    const cut = shown < bytes.length ? '…' : ''
    const pairs = hexOf(bytes.subarray(0, shown))
    const text = textOf(bytes.subarray(0, shown))
    this.#title([[INDENT], [`[${pairs}]`, 'lost'], [` ${cut}${text}`, 'faint']])
  }

  #onSkipped(event: TapSkippedEvent): void {
    this.#skipped += event.messages
    if (this.#options.json) {
      this.#output.title(unseenJson({ time: new Date().toISOString(), skipped: event }))
      return
    }
    const { packets, bytes, messages, errors } = event
    const parts = [
      ...(messages === 0 ? [] : [counted(messages, 'message')]),
      ...(errors === 0 ? [] : [counted(errors, 'error')]),
      ...(packets === 0 ? [] : [`${counted(packets, 'packet')} of ${grouped(bytes)} bytes`]),
    ]
    this.#title([[INDENT], [`… ${parts.join(', ')} skipped`, 'unusual']])
  }

  #printBytes(hex: string, size: number): void {
    const bytes = fromHex(hex)
    for (let at = 0; at < bytes.length; at += HEX_COLUMNS) {
      const row = bytes.subarray(at, at + HEX_COLUMNS)
      const place = at.toString(16).padStart(4, '0')
      const pairs = hexOf(row).padEnd(HEX_COLUMNS * 3 - 1)
      this.#title([[`${INDENT}${place}  `, 'faint'], [`${pairs}  `], [textOf(row), 'faint']])
    }
    if (bytes.length < size) this.#title([[`${INDENT}… ${size - bytes.length} more`, 'faint']])
  }

  #title(parts: readonly Part[]): void {
    this.#output.title(this.#line(parts))
  }

  /** Writes a line that takes several rows where a terminal is narrower, and one elsewhere. */
  #wrapped(event: Origin, fields: readonly (readonly Part[])[]): string {
    const { isForPerson, columns, color } = this.#output
    if (isForPerson) {
      return wrapLine(head(event), fields, { columns, indent: INDENT.length, color })
    }
    return this.#line([...head(event), ...fields.flatMap((field) => [[' '] as const, ...field])])
  }

  /** Writes a line: in colour and as wide as the terminal, whole and plain elsewhere. */
  #line(parts: readonly Part[]): string {
    const { isForPerson, columns, color } = this.#output
    if (!isForPerson) return parts.map(([text]) => escapeUnseen(text)).join('')
    const buffer = new ScreenBuffer(columns, 1)
    let at = 0
    for (const [text, style] of parts) at = buffer.write(0, at, text, style)
    return buffer.rowLine(0, color)
  }
}

function head({ timeMs, transport, peer }: Origin): Part[] {
  const thousandths = String(Math.floor(timeMs) % 1000).padStart(3, '0')
  return [[`${clockText(timeMs)}.${thousandths} `, 'faint'], [`${transport} ${peer}`.padEnd(22)]]
}

function headJson({ timeMs, dialect, transport, peer }: Origin): object {
  return { time: new Date(timeMs).toISOString(), dialect, transport, peer }
}

/** Writes the fields of a message, whatever its dialect; what is empty is left out. */
function fieldsOf(message: unknown): readonly (readonly Part[])[] {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return [[[unseenJson(message)]]]
  }
  return Object.entries(message)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]): readonly Part[] => [
      [`${name}=`, 'faint'],
      [wordOf(value), 'data'],
    ])
}

/** Writes a value: a plain word as it is, all else as JSON. */
function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : unseenJson(value)
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** Writes what of the bytes can be seen. */
function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
  ).join('')
}

/** Writes a count with its thousands apart. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

function counted(count: number, one: string): string {
  return `${grouped(count)} ${count === 1 ? one : `${one}s`}`
}
