/**
 * The hub's configuration: every limit by name, with its default (docs/configuration.md), composed
 * of the hub's own options and those of the dialects that it is given. One check is for what a
 * program, a file or the command line gives.
 */
import type { Dialect } from '../../dialects/dialect.ts'
import { engineAddress, isEngineAddress } from '../../history/promql/address.ts'
import { SERIES_LIMITS, seriesLimitMost } from '../ingest/quota.ts'
import { OptionCheck } from './check.ts'
import { composeOptions } from './house-options.ts'
import { ConfigError, type HubConfig } from './values.ts'

/**
 * Reads the defaults with the given options over them.
 * @throws {ConfigError}
 */
export function parseConfig(options: unknown, dialects: readonly Dialect[]): HubConfig {
  const check = new OptionCheck()
  const values = check.options(composeOptions(dialects), options)
  if (check.problems.length > 0) throw new ConfigError(check.problems)
  return checkedTogether(values as HubConfig)
}

/** @throws {ConfigError} for the address of an engine that makes no sense */
function checkHistory({ history: { path = '' } }: HubConfig): void {
  if (!isEngineAddress(path)) return
  try {
    engineAddress(path)
  } catch (error) {
    throw new ConfigError([`history.path: ${(error as Error).message}`])
  }
}

/**
 * Checks what only two options together say.
 * @throws {ConfigError} for more series than the zone can ever hold (the default is no such claim)
 *   and for a history that is no place
 */
function checkedTogether(config: HubConfig): HubConfig {
  checkHistory(config)
  const { seriesLimit, zoneBytesLimit } = config
  const most = seriesLimitMost(zoneBytesLimit)
  if (seriesLimit <= Math.max(most, SERIES_LIMITS.seriesLimit)) return config
  const room = `zoneBytesLimit ${zoneBytesLimit}`
  throw new ConfigError([`seriesLimit: ${seriesLimit}, want at most ${most} with ${room}`])
}
