/** The routes of filters under /api/v1/proxywasm/: settings, use of the slab, values by thread. */
import { z } from 'zod'
import type { GuestRoutes, HubApp, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { requireLoopback } from '../../../http/query/deletion.ts'
import { integer, noQuery, read, readJson, readQuery } from '../../../http/query/parameters.ts'
import { filterResidentOf, SettingsError } from '../hub/resident.ts'
import { BINS_AT_FIRST, BINS_LIMIT, sizeOf } from '../hub/settings/sizing.ts'
import { shapeOf } from '../hub/settings/slab.ts'
import {
  METRIC_NAMES,
  NAME_LENGTH_MAX,
  NAME_LENGTH_MIN,
  type SettingValues,
  slabSizeOf,
  WORKERS_LIMIT,
} from '../store/filter-settings.ts'
import {
  checkBounds,
  HISTOGRAM_WANTED,
  type HistogramRule,
  histogramRuleOf,
} from '../store/histogram-rule.ts'
import type { SizeAnswer, SizedKind } from './api.ts'

const BODY_BYTES = 4_096
const VALUES_LIMIT = 1_000

const valuesQuery = z.strictObject({
  filter: z.string().min(1),
  limit: integer(1, VALUES_LIMIT).default(100),
})

const KINDS = ['counter', 'gauge', 'histogram'] as const
/** Most metrics of a kind that are asked about, and most bytes of a name. */
const COUNT_MAX = 1_000_000_000
const NAME_BYTES_MAX = 65_535

const sizeQuery = z.strictObject({
  counters: integer(0, COUNT_MAX).default(0),
  gauges: integer(0, COUNT_MAX).default(0),
  histograms: integer(0, COUNT_MAX).default(0),
  nameLength: integer(0, NAME_BYTES_MAX).default(32),
  workers: integer(1, WORKERS_LIMIT).optional(),
  bins: integer(1, BINS_LIMIT).optional(),
  slabSize: z.string().optional(),
})

const settingsBody = z.strictObject({
  slabSize: z.union([z.int(), z.string()]).optional(),
  maxMetricNameLength: z.int().min(NAME_LENGTH_MIN).max(NAME_LENGTH_MAX).optional(),
  histogram: z.union([z.string(), z.array(z.number())]).optional(),
  workers: z.int().min(1).max(WORKERS_LIMIT).optional(),
  metricNames: z.enum(METRIC_NAMES).optional(),
})

export function addRoutes(app: HubApp, { view }: RouteContext): GuestRoutes {
  const filters = filterResidentOf(view)
  if (filters === undefined) return {}
  app.get('/api/v1/proxywasm/metrics', (context) => {
    readQuery(noQuery, context)
    return context.json(filters.metrics())
  })
  app.post('/api/v1/proxywasm/metrics', async (context) => {
    readQuery(noQuery, context)
    requireLoopback(context, 'filters are reconfigured on the machine of the hub')
    const body = read(settingsBody, await readJson(context.env.incoming, BODY_BYTES))
    const { slabSize, histogram, ...others } = body
    const change = {
      ...others,
      slabSize: slabSize === undefined ? undefined : slabBytes(slabSize),
      histogram: histogram === undefined ? undefined : ruleOf(histogram),
    }
    try {
      return context.json(await filters.reconfigure(withoutGaps(change)))
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      throw new HttpError(409, 'settings_refused', error.message, 'nothing has changed')
    }
  })
  app.get('/api/v1/proxywasm/size', (context) => {
    const query = readQuery(sizeQuery, context)
    return context.json(answerSize(query, filters.metrics().settings))
  })
  app.get('/api/v1/proxywasm/values', (context) => {
    const { filter, limit } = readQuery(valuesQuery, context)
    const values = filters.values(filter, limit)
    if (values !== undefined) return context.json(values)
    throw new HttpError(
      404,
      'unknown_filter',
      `no filter ${filter}`,
      'GET /api/v1/sources lists them',
    )
  })
  return {}
}

/** @throws {HttpError} 400 for what no slab could have */
function answerSize(
  { counters, gauges, histograms, nameLength, ...asked }: z.infer<typeof sizeQuery>,
  settings: Pick<SettingValues, 'histogram' | 'slabSize' | 'workers'>,
): SizeAnswer {
  const { histogram } = settings
  const { workers = settings.workers } = asked
  const slabSize = asked.slabSize === undefined ? settings.slabSize : slabBytes(asked.slabSize)
  // in the original a histogram begins with 5 bins, unless its bounds are known
  const known = typeof histogram === 'string' ? BINS_AT_FIRST : histogram.length + 1
  const question = { nameLength, workers, bins: asked.bins ?? known, profile: 'document' } as const
  const counts = { counter: counters, gauge: gauges, histogram: histograms }
  const kinds = KINDS.filter((kind) => counts[kind] > 0).map((kind): SizedKind => {
    const count = counts[kind]
    const own = shapeOf(kind, settings)
    const { bytesPerMetric, needed } = sizeOf({ ...question, kind }, own, { count })
    const { documented, allocated, thisZone } = bytesPerMetric
    const original = { documentedEach: documented, allocatedEach: allocated }
    return {
      ...{ kind, count, bytesEach: thisZone, bytes: needed!.thisZone },
      original: { ...original, slabSize: needed!.bytes },
    }
  })
  const bytes = kinds.reduce((sum, each) => sum + each.bytes, 0)
  return { kinds, bytes, slabSize, leftBytes: slabSize - bytes }
}

/** @throws {HttpError} 400 in the original's words */
function slabBytes(given: number | string): number {
  try {
    return slabSizeOf(given)
  } catch (error) {
    throw new HttpError(400, 'invalid_request', (error as Error).message, 'as 5242880 or "5m"')
  }
}

/** @throws {HttpError} 400 */
function ruleOf(given: string | readonly number[]): HistogramRule {
  try {
    return typeof given === 'string' ? histogramRuleOf(given) : checkBounds(given)
  } catch {
    throw new HttpError(400, 'invalid_request', `histogram: want ${HISTOGRAM_WANTED}`)
  }
}

type WithoutGaps<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }

function withoutGaps<T extends object>(values: T): WithoutGaps<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as WithoutGaps<T>
}
