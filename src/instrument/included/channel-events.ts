/**
 * Events of Node's diagnostics channels as counters: whatever publishes there is counted without a
 * change to it, log records of pino among them.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Counter } from '../plain/counter.ts'
import type { InstrumentOptions, LabelValues } from '../plain/instrument.ts'
import { errorText, type Report } from '../reports.ts'

export interface ChannelOptions<Label extends string = string> extends InstrumentOptions<Label> {
  /** Name of the counter, as {@link counter} takes it. */
  readonly name: string
  /** Gives the labels of an event; it must be quick, for who publishes waits for it. */
  readonly of?: (message: unknown) => LabelValues<Label>
}

/** Events that are counted until it is closed. */
export interface CountedEvents {
  /** Ends it; idempotent. The counter stays. */
  close(): void
  [Symbol.dispose](): void
}

/** Counts the messages of a channel. */
export function countEvents<Label extends string>(
  channel: string | symbol,
  counter: Counter<Label>,
  { of = () => ({}) as LabelValues<Label> }: ChannelOptions<Label>,
  report: Report,
): CountedEvents {
  let isFailing = false
  const onMessage = (message: unknown): void => {
    try {
      counter.with(of(message)).add()
    } catch (error) {
      // thrown further, it would end the process that publishes
      const text = `an event of ${String(channel)} is not counted: ${errorText(error)}`
      report('callback_errors', isFailing ? undefined : text)
      isFailing = true
    }
  }
  subscribe(channel, onMessage)
  const close = (): void => void unsubscribe(channel, onMessage)
  return { close, [Symbol.dispose]: close }
}

/** Channel on which pino (10, and 9 since it has it) tells of each record before it is written. */
export const PINO_CHANNEL = 'tracing:pino_asJson:start'

interface PinoMessage {
  readonly instance?: { readonly levels?: { readonly labels?: Readonly<Record<number, string>> } }
  /** Object, text, number of the level, time. */
  readonly arguments?: readonly unknown[]
}

/** Gives the level of a record of pino by the name that its logger has for it. */
export function pinoLevel(message: unknown): { readonly level: string } {
  const { instance, arguments: given = [] } = message as PinoMessage
  const level = Number(given[2])
  return { level: instance?.levels?.labels?.[level] ?? String(level) }
}
