/**
 * A dialect as a guest of the house: its protocol, and what else it brings. One line in `index.ts`
 * registers it; the house finds everything of a dialect here and knows none by name.
 */
import type { Command } from 'commander'
import type { HubGuest } from '../hub/resident.ts'
import type { Demo } from './demo.ts'

export interface Guest extends HubGuest {
  /**
   * Adds its own commands, with descriptions, flags and examples. They are part of `--help` and of
   * `pentameter completion`.
   */
  addCommands?(program: Command, commandLine: CommandLine): void
  /** Lines of its own in the help of the commands that serve all dialects. */
  readonly examples?: Examples
  /** Its part in `pentameter demo`. */
  readonly demo?: Demo
}

/** What the command line does for a dialect's commands. */
export interface CommandLine {
  /**
   * Runs a hub with these options until a signal ends it, as `pentameter serve` does.
   * @throws {ConfigError} for an option that makes no sense
   */
  serve(options: Readonly<Record<string, unknown>>): Promise<void>
}

/** Shell lines by the command whose help shows them; `pentameter` is the main help. */
export interface Examples {
  readonly pentameter?: readonly Example[]
  readonly serve?: readonly Example[]
  readonly decode?: readonly Example[]
  readonly encode?: readonly Example[]
}

/** A shell line, with what it does in a few words where it does not say so itself. */
export type Example = string | readonly [line: string, meaning: string]
