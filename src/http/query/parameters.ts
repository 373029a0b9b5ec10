/** Everything that comes from outside is read here: query parameters and bodies of the API. */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { z } from 'zod'
import { KINDS } from '../../model/index.ts'
import { HttpError } from '../http-error.ts'
import { ADDRESS_SERIES_LIMIT, type HttpLimits } from '../limits.ts'
import { readBody } from '../load/body.ts'
import { RANGE_SERIES_LIMIT } from './range/range.ts'

const PAGE_DEFAULT = 500
const PAGE_MAX = 5000
const INTERVAL_MAX_S = 3600
/** The shortest interval or step of samples, s. */
const SAMPLES_MIN_S = 0.01
/** The longest step of a range. */
export const STEP_MAX_S = 172_800
/** Ids are small; more digits are no id. */
const ID_MAX = 0xffff_ffff

/** A number as JSON writes it or a program prints it, `1`, `1.0`, `1e3`, `.5`; without a sign. */
const NUMBER_TEXT = /^(?=.{1,40}$)(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i

/** Makes the schema of a number whose text is one and whose value is of a kind. */
function number(wanted: string, isOfKind: (value: number) => boolean) {
  return z
    .string()
    .refine((text) => NUMBER_TEXT.test(text) && isOfKind(Number(text)), wanted)
    .transform(Number)
}

/** Makes the schema of a whole number. */
export function integer(min: number, max: number) {
  return number('want a whole number', Number.isSafeInteger).pipe(z.number().min(min).max(max))
}

/** Makes the schema of seconds: whole ones, or parts of one from 0.01 on, to the millisecond. */
function seconds(max: number) {
  const isGiven = (value: number): boolean =>
    Number.isInteger(value) || (value < 1 && value === Math.round(value * 1000) / 1000)
  return number('want whole seconds, or 0.01 to 0.999', isGiven).pipe(
    z.number().min(SAMPLES_MIN_S).max(max),
  )
}

/** Makes the schema of `1,2,3`; empty for none. Repeated ids count once. */
function idList(limit: number) {
  return z
    .string()
    .regex(/^(\d{1,10}(,\d{1,10})*)?$/, 'want numbers of series with commas between them')
    .transform((text) => [...new Set(text === '' ? [] : text.split(',').map(Number))])
    .pipe(z.array(z.number().max(ID_MAX)).max(limit, `want at most ${limit} series`))
}

export const seriesQuery = z.strictObject({
  filter: z.string().max(1000).default(''),
  kind: z.enum(KINDS as ['counter', 'gauge', 'histogram', 'summary']).optional(),
  dialect: z.string().max(100).optional(),
  series: idList(ADDRESS_SERIES_LIMIT).optional(),
  limit: integer(1, PAGE_MAX).default(PAGE_DEFAULT),
  after: integer(0, ID_MAX).default(-1),
})

export const pastQuery = z.strictObject({
  filter: z.string().max(1000).default(''),
  kind: z.enum(KINDS as ['counter', 'gauge', 'histogram', 'summary']).optional(),
  dialect: z.string().max(100).optional(),
  /** Unix milliseconds. */
  from: integer(0, 8.64e15).optional(),
  to: integer(0, 8.64e15).optional(),
  limit: integer(1, PAGE_MAX).default(PAGE_DEFAULT),
})

export const deletionQuery = z.strictObject({
  series: idList(ADDRESS_SERIES_LIMIT).optional(),
  name: z.string().min(1).max(1000).optional(),
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

export const rangeQuery = z.strictObject({
  series: idList(RANGE_SERIES_LIMIT),
  /** Unix milliseconds. */
  from: integer(0, 8.64e15).optional(),
  to: integer(0, 8.64e15).optional(),
  step: seconds(STEP_MAX_S).default(1),
})

export const samplesQuery = z.strictObject({
  series: idList(RANGE_SERIES_LIMIT),
  /** Unix milliseconds; all since then, and the last 10 s unless it is given. */
  from: integer(0, 8.64e15).optional(),
  to: integer(0, 8.64e15).optional(),
})

export const usualQuery = z.strictObject({ series: idList(ADDRESS_SERIES_LIMIT).optional() })

export const cellsQuery = z.strictObject({ series: idList(ADDRESS_SERIES_LIMIT) })

export function liveQuery(limits: HttpLimits) {
  return z.strictObject({
    series: idList(Math.min(limits.streamSeries, ADDRESS_SERIES_LIMIT)).default([]),
    interval: seconds(INTERVAL_MAX_S).default(1),
  })
}

export function selectionBody(limits: HttpLimits) {
  const limit = limits.streamSeries
  return z.strictObject({
    series: z.array(z.int().min(0).max(ID_MAX)).max(limit, `want at most ${limit} series`),
    /** Seconds between two events with samples; 1 for none. */
    interval: z.number().min(SAMPLES_MIN_S).max(1).optional(),
  })
}

export const tapQuery = z.strictObject({
  listener: z.string().min(1).max(100),
  /** Whether packets come with their bytes. */
  hex: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

export const noQuery = z.strictObject({})

/** Reads the query of a request; a parameter given twice is refused, since one would be lost. */
export function readQuery<T>(schema: z.ZodType<T>, context: Context): T {
  for (const [name, values] of Object.entries(context.req.queries())) {
    if (values.length === 1) continue
    const hint = 'give every parameter once; ids of series have commas between them'
    throw new HttpError(400, 'invalid_request', `${name}: given ${values.length} times`, hint)
  }
  return read(schema, context.req.query())
}

/** @throws {HttpError} 400 that names the first thing that is wrong */
export function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  const isMissing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined
  const words = isMissing ? 'wanted, and not given' : issue.message
  throw new HttpError(
    400,
    'invalid_request',
    `${place}${words.charAt(0).toLowerCase()}${words.slice(1)}`,
    'the parameters of every route are listed in docs/http.md',
  )
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
}

/**
 * Reads the value of a JSON body.
 * @throws {HttpError} 413 for more than `limit` bytes, 400 for what is no JSON
 */
export async function readJson(incoming: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBody(incoming, limit)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    const message = bytes.length === 0 ? 'the request has no body' : 'the body is no JSON'
    throw new HttpError(
      400,
      'invalid_request',
      message,
      'docs/http.md shows the body of every POST',
    )
  }
}
