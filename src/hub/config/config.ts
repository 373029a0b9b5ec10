/**
 * The hub's configuration: every limit by name, with its default (docs/configuration.md), composed
 * of the hub's own options and those of the dialects that it is given. One check is for what a
 * program, a file or the command line gives.
 */
import type { Dialect } from '../../dialects/dialect.ts'
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

/**
 * Checks what only two options together say.
 * @throws {ConfigError} for more series than the zone can ever hold; the default is no such claim
 */
function checkedTogether(config: HubConfig): HubConfig {
  const { seriesLimit, zoneBytesLimit } = config
  const most = seriesLimitMost(zoneBytesLimit)
  if (seriesLimit <= Math.max(most, SERIES_LIMITS.seriesLimit)) return config
  const room = `zoneBytesLimit ${zoneBytesLimit}`
  throw new ConfigError([`seriesLimit: ${seriesLimit}, want at most ${most} with ${room}`])
}
