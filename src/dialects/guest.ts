/**
 * A dialect as a guest of the house: its protocol, and what else it brings. One line in `index.ts`
 * registers it; the house finds everything of a dialect here and knows none by name. What a hub
 * does not need until it is asked for is loaded then: commands, the demo, and routes.
 */
import type { Command } from 'commander'
import type { RoutedGuest } from '../http/guest-routes.ts'
import type { HubGuest } from '../hub/resident.ts'
import type { CommandLine, CounterSource, Demo, Examples } from './command-line.ts'

export interface Guest extends HubGuest, RoutedGuest {
  /** Names of its commands: to run one of them, those of others are not loaded. */
  readonly commands?: readonly string[]
  /**
   * Adds its own commands, with descriptions, flags and examples. They are part of `--help` and of
   * `pentameter completion`; `serve` starts without them.
   */
  addCommands?(program: Command, commandLine: CommandLine): void | Promise<void>
  /** Loads a way to counters of processes, for `pentameter counters`. */
  loadCounterSource?(): Promise<CounterSource>
  /** Lines of its own in the help of the commands that serve all dialects. */
  readonly examples?: Examples
  /** Loads the part that it plays in `pentameter demo`. */
  loadDemo?(): Promise<Demo>
}
