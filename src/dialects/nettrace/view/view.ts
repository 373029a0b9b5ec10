/** Processes of .NET on the page: words for what the hub tells of them. */
import { counted, text } from '../../../viewer/format/number.ts'
import type { View } from '../../../web/shell/view.ts'

export const view: View = {
  dialect: 'nettrace',
  words: {
    facts: {
      process: (name) => `process ${name}`,
      pid: (pid) => `pid ${pid}`,
      runtime: (version) => `.NET ${version}`,
      providers: (names) => `providers ${names}`,
      askedMs: (ms) => `asked for ${text(Number(ms), 'ms')}: another tool’s interval is in force`,
      readings: counted('reading'),
      lost: counted('event lost by the process', 'events lost by the process'),
      foreignIntervals: counted(
        'payload of another tool’s interval left out',
        'payloads of another tool’s interval left out',
      ),
      foreignSessions: counted(
        'value of another tool’s meters left out',
        'values of another tool’s meters left out',
      ),
      duplicates: counted(
        'value of a second counter of its name left out',
        'values of second counters of their names left out',
      ),
      bad: counted('unreadable part of the stream', 'unreadable parts of the stream'),
      askedAgain: counted('time asked again', 'times asked again'),
      processes: counted('process', 'processes'),
      stale: counted('stale socket skipped', 'stale sockets skipped'),
      meters: (note) => `meters: ${note}`,
      meterError: (note) => `meters: ${note}`,
      callbackError: (note) => `an instrument fails: ${note}`,
      seriesLeftOut: (note) => String(note),
      histogramsLeftOut: (note) => String(note),
    },
  },
}
