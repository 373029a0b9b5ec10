/** The log on stderr: JSON lines for machines, one plain line each for people. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Log, LogLevel } from '../hub/log.ts'

export type LogFormat = 'text' | 'json'

const COLORS: Record<string, number> = { warn: 33, error: 31, debug: 90 }

export function createLog(format: LogFormat, isColored: boolean, level: LogLevel = 'info'): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    format === 'json' ? process.stderr : plainLines(isColored),
  )
  return (lineLevel, message, facts) => logger[lineLevel](facts ?? {}, message)
}

/** Turns pino's lines into `14:03:22 warn  message  key=value`. */
function plainLines(isColored: boolean): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { level, time, msg, ...facts } = JSON.parse(chunk.toString())
      const color = isColored ? COLORS[level] : undefined
      const word = color === undefined ? level : `\x1b[${color}m${level}\x1b[0m`
      const pairs = Object.entries(facts).map(([key, value]) => `  ${key}=${plain(value)}`)
      process.stderr.write(`${time.slice(11, 19)} ${word} ${msg}${pairs.join('')}\n`)
      done()
    },
  })
}

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return escapeControls(text ?? '')
}

/** Escapes what steers a terminal: the text may come from a peer. */
function escapeControls(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
    /[\u0000-\u001f\u007f-\u009f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
