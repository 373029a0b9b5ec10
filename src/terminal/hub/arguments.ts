/** Arguments and flags that all commands have which watch a hub. */
import { type Command, Option } from 'commander'
import { systemClock } from '../../time/system-clock.ts'
import { ALL_WINDOWS } from '../../viewer/chart/time-window.ts'
import { colorDepth, hasScreen } from '../color.ts'
import { parsePast, wholeNumber } from '../flag-values.ts'
import type { TerminalParts } from '../session.ts'
import { type HubAddress, parseHub, STANDARD_HUB } from './address.ts'

export interface HubArguments {
  readonly hub: HubAddress
  readonly json?: true
  /** Lines after which it ends. */
  readonly limit?: number
  /** Unix ms from which on lines are written. */
  readonly since?: number
  /** False with --no-color. */
  readonly color: boolean
}

/** Makes the flag that names the hub. */
export function hubOption(): Option {
  return new Option('--hub <host:port>', 'where the hub serves its page')
    .argParser(parseHub)
    .default(parseHub(STANDARD_HUB), STANDARD_HUB)
}

/** Adds the flags that name the hub and say how to write. */
export function addHubOptions(command: Command): Command {
  return command
    .addOption(hubOption())
    .option('--json', 'JSON lines, also at a terminal')
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
}

export function addLimitOption(command: Command): Command {
  return command.option(
    '--limit <lines>',
    'ends after so many lines, where lines are written',
    wholeNumber({ min: 1 }),
  )
}

export function addSinceOption(command: Command): Command {
  return command.option(
    '--since <time>',
    "lines from then on, of the hub's history: 2026-01-31T12:00Z, or 7d, 3h, 20m, 45s ago",
    parsePast,
  )
}

export function addWindowOption(command: Command): Command {
  const [least, most] = [ALL_WINDOWS[0]!, ALL_WINDOWS.at(-1)!]
  return command.option(
    '--window <seconds>',
    'time that pictures show, as far back as the hub remembers',
    wholeNumber({ min: least, max: most }),
    60,
  )
}

/** Gives the process's terminal; undefined where there is none, or lines are wanted. */
export function terminalOf({ color, json }: HubArguments): TerminalParts | undefined {
  const { stdin: input, stdout: output, env } = process
  if (json || !hasScreen(output, env)) return undefined
  const depth = colorDepth({ color, isTerminal: true, env })
  return { input, output, process, color: depth, clock: systemClock }
}
