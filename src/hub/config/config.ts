/**
 * The hub's configuration: every limit by name, with its default (docs/configuration.md), composed
 * of the hub's own options and those of the dialects that it is given. One schema checks what a
 * program, a file or the command line gives.
 */
import type { z } from 'zod'
import type { Dialect } from '../../dialects/dialect.ts'
import { SERIES_LIMITS, seriesLimitMost } from '../ingest/quota.ts'
import { composeOptions } from './house-options.ts'
import { schemaOf } from './schema.ts'
import { ConfigError, type HubConfig } from './values.ts'

/**
 * Reads the defaults with the given options over them.
 * @throws {ConfigError}
 */
export function parseConfig(options: unknown, dialects: readonly Dialect[]): HubConfig {
  const result = schemaOf(composeOptions(dialects)).safeParse(options)
  if (result.success) return checkedTogether(result.data as HubConfig)
  const problems = new Map<string, readonly string[]>()
  for (const issue of result.error.issues) {
    // A value of a wrong type may be too short as well: the first problem of an option says it.
    const path = issue.path.join('.')
    if (!problems.has(path)) problems.set(path, describeIssue(issue, path, options))
  }
  throw new ConfigError([...problems.values()].flat())
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

/** Writes one line per problem: `seriesLimit: 0, want at least 1`. */
function describeIssue(issue: z.core.$ZodIssue, path: string, options: unknown): string[] {
  const place = path === '' ? '' : `${path}: `
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${path === '' ? '' : `${path}.`}${key}: no such option`)
  }
  return [`${place}${valueText(valueAt(options, issue.path))}, ${wanted(issue)}`]
}

/** Expected types as zod names them, in words for who writes the file. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  record: 'a mapping',
  string: 'text',
}

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `want ${TYPE_WORDS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `want ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return `want at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`
    case 'too_big':
      return `want at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  let value = options
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
  return value
}

/** Longest value that a message repeats whole. */
const VALUE_TEXT_MAX = 60

function valueText(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > VALUE_TEXT_MAX ? `${text.slice(0, VALUE_TEXT_MAX)}…` : text
}
