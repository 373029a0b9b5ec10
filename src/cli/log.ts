/** The log on stderr: JSON lines for machines, one plain line each for people. */

import type { Log, LogLevel } from '../hub/log.ts'
import { escapeUnseen, unseenJson } from '../model/text/unseen.ts'

export type LogFormat = 'text' | 'json'

/** Levels, from the least to the most urgent. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const COLORS: Partial<Record<LogLevel, number>> = { warn: 33, error: 31, debug: 90 }

/** Bytes of lines that wait for a reader which takes none; further ones count as unwritten. */
const WAITING_BYTES_LIMIT = 262_144

/**
 * Writes lines of a level and of those above it to stderr. One that can't be written (a full disk,
 * a pipe whose reader hangs) is counted, and the number told as soon as one can.
 */
export function createLog(format: LogFormat, isColored: boolean, level: LogLevel = 'info'): Log {
  const lost = { unwritten: 0 }
  let toldLost = 0
  const least = LEVELS.indexOf(level)
  const line =
    format === 'json' ? jsonLine : (...parts: LineParts) => plainLine(isColored, ...parts)
  const log: Log = (lineLevel, message, facts = {}) => {
    if (LEVELS.indexOf(lineLevel) < least) return
    if (process.stderr.writableLength > WAITING_BYTES_LIMIT) {
      lost.unwritten++
      return
    }
    const time = new Date().toISOString()
    const { unwritten } = lost
    const lines = unwritten - toldLost
    const missing = lines <= 0 ? '' : `${line(time, 'warn', LOST_MESSAGE, { lines })}\n`
    process.stderr.write(`${missing}${line(time, lineLevel, message, facts)}\n`, (error) => {
      if (error) lost.unwritten++
      else toldLost = Math.max(toldLost, unwritten)
    })
  }
  return Object.assign(log, { lost })
}

/**
 * Waits until all that was said is written, at most so long; then the process ends without it: a
 * reader that hangs is no reason to stay.
 */
export async function endWhenWritten(limitMs: number): Promise<void> {
  const streams = [process.stdout, process.stderr].filter(
    ({ writableLength }) => writableLength > 0,
  )
  if (streams.length === 0) return
  const written = streams.map((stream) => new Promise((resolve) => stream.write('', resolve)))
  const late = setTimeout(() => process.exit(), limitMs)
  await Promise.all(written)
  clearTimeout(late)
}

/** Characters of one fact, as they are written. */
const TEXT_LENGTH_LIMIT = 4096
const LOST_MESSAGE = 'the log could not be written for a while; lines are missing'

type LineParts = [time: string, level: LogLevel, message: string, facts: object]

/** Spells `{"level":"warn","time":"…","key":"value","msg":"…"}`. */
function jsonLine(...[time, level, msg, facts]: LineParts): string {
  const told = Object.entries(facts).map(([key, value]) => [key, shortened(value)])
  return unseenJson({ level, time, ...Object.fromEntries(told), msg })
}

/** Spells `14:03:22 warn  message  key=value`. */
function plainLine(isColored: boolean, ...[time, level, message, facts]: LineParts): string {
  const color = isColored ? COLORS[level] : undefined
  const word = color === undefined ? level : `\x1b[${color}m${level}\x1b[0m`
  const pairs = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${escapeUnseen(key)}=${plain(value)}`)
  return `${time.slice(11, 19)} ${word} ${escapeUnseen(message)}${pairs.join('')}`
}

function plain(value: unknown): string {
  const short = shortened(value)
  return typeof short === 'string' ? escapeUnseen(short) : unseenJson(short)
}

/** Cuts a text so that it has room in a line however much of it is escaped. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'string') return value
  let end = value.length
  while (unseenJson(value.slice(0, end)).length > TEXT_LENGTH_LIMIT) end >>= 1
  return end === value.length ? value : `${value.slice(0, end)}… (${value.length - end} more)`
}
