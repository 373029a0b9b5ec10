/**
 * The configuration once it is checked, and the error of one that is not. Apart from the check
 * itself, which ingest threads and short commands do not load.
 */
import type { ValuesOf } from '../../dialects/options.ts'
import type { HouseOptions } from './house-options.ts'

/** The values of all options; the section of a dialect has its name. */
export type HubConfig = ValuesOf<HouseOptions> & Readonly<Record<string, unknown>>

/** Gives the dialect's own section of the config. */
export function dialectOptions(
  config: HubConfig,
  dialect: string,
): Readonly<Record<string, unknown>> {
  return (config[dialect] ?? {}) as Readonly<Record<string, unknown>>
}

/** Gives the number that is wished for a port; 0 = any free one. */
export function portNumber(config: HubConfig, name: string): number {
  return config[`${name}Port`] as number
}

/**
 * An option that is not understood; `problems` has one line each.
 *
 * @example
 * import { ConfigError, startHub } from 'pentameter/hub'
 *
 * try {
 *   await startHub({ config: { seriesLimit: 0 } })
 * } catch (error) {
 *   if (error instanceof ConfigError) console.log(error.problems) // [ 'seriesLimit: 0, …' ]
 * }
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
