/**
 * All series of a hub as pieces of OTLP: totals since their start, and intervals where a dialect or
 * the config wants them.
 */
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { HeldValues } from '../../../hub/tasks/held-values.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import { type Pieces, ROWS_PER_STEP } from '../../pieces.ts'
import type { OpenDelta } from './deltas.ts'
import { JSON_CLOSE, JSON_OPEN, metricJson, resourceJson, scopeJson } from './json.ts'
import {
  type FormOptions,
  isDelta,
  layoutTask,
  metricsOf,
  type NamedMetric,
  type OtlpGroup,
} from './layout.ts'
import type { MetricPiece, Resource } from './metric.ts'
import { bodyOf, type Inexact, type PointContext } from './points.ts'

export interface SourceOptions extends FormOptions {
  /** Sums that their senders do not know are said as estimates. */
  readonly estimatedSum: boolean
  /** Attributes beside or instead of service.name and service.version. */
  readonly resource: Readonly<Record<string, string>>
}

export const DIALECT_FORMS: SourceOptions = {
  temporality: 'dialect',
  histogram: 'dialect',
  estimatedSum: false,
  resource: {},
}

/** Preview of what is exported, for people. */
export interface OtlpPreview {
  /** Writes a whole request as JSON, in pieces. */
  json(): Pieces<string>
  /** Lists the metrics that a series is told by. */
  metricsOf(record: SeriesRecord): readonly NamedMetric[]
}

export interface SourcePiece {
  readonly metric: MetricPiece
  /** Series whose interval it says; empty for totals. */
  readonly deltas: readonly number[]
}

interface LayoutOfRevision {
  readonly revision: number
  readonly groups: readonly OtlpGroup[]
}

export class OtlpSource {
  readonly resource: Resource
  readonly #view: HubView
  readonly #options: SourceOptions
  /** Layouts of totals, without the series of which intervals are said where these are apart. */
  readonly #layouts = new HeldValues((hasDeltas: boolean) => this.#layout(hasDeltas))

  constructor(view: HubView, options: SourceOptions) {
    this.#view = view
    this.#options = options
    this.resource = {
      'service.name': 'pentameter',
      'service.version': view.version,
      ...options.resource,
    }
  }

  /**
   * @param deltas what intervals brought; without them everything is a total
   * @param noteInexact told of every value that lost something
   */
  *pieces(
    timeMs: number,
    deltas: ReadonlyMap<number, OpenDelta> | undefined,
    noteInexact: (what: Inexact) => void = () => {},
  ): Pieces<SourcePiece> {
    const { estimatedSum } = this.#options
    const context: PointContext = { view: this.#view, timeMs, estimatedSum, noteInexact }
    for (const group of yield* this.#totals(deltas !== undefined)) {
      yield* groupPieces(group, context)
    }
    if (deltas === undefined) return
    const records = [...deltas.values()].map(({ record }) => record)
    for (const group of yield* layoutTask(records, this.#options, this.#view)) {
      yield* groupPieces(group, context, deltas)
    }
  }

  /** Lays out all series that were there when it was asked for. */
  *#totals(hasDeltas: boolean): Task<readonly OtlpGroup[]> {
    return (yield* this.#layouts.get(hasDeltas, this.#view.series.revision)).groups
  }

  *#layout(hasDeltas: boolean): Task<LayoutOfRevision> {
    const { series } = this.#view
    const { revision } = series
    const records = hasDeltas ? cumulative(this.#view, this.#options) : series
    return { revision, groups: yield* layoutTask(records, this.#options, this.#view) }
  }

  metricsOf(record: SeriesRecord): readonly NamedMetric[] {
    return metricsOf(record, this.#options, this.#view)
  }

  /** Writes the request as JSON, whole, however large. */
  *json(deltas?: ReadonlyMap<number, OpenDelta>): Pieces<string> {
    const timeMs = this.#view.clock.wallMs()
    let scope: string | undefined
    yield `${JSON_OPEN}${resourceJson(this.resource)},"scopeMetrics":[`
    for (const piece of this.pieces(timeMs, deltas)) {
      if (piece === undefined) {
        yield
        continue
      }
      const { metric } = piece
      const text = scopeJson(metric.scope)
      const before = scope === undefined ? '' : ']},'
      yield text === scope ? ',' : `${before}{"scope":${text},"metrics":[`
      scope = text
      yield metricJson(metric)
    }
    yield `${scope === undefined ? '' : ']}'}]${JSON_CLOSE}`
  }
}

function* cumulative(view: HubView, options: FormOptions): Generator<SeriesRecord, void> {
  for (const record of view.series) if (!isDelta(record, options, view)) yield record
}

function* groupPieces(
  { head, kind, rows }: OtlpGroup,
  context: PointContext,
  deltas?: ReadonlyMap<number, OpenDelta>,
): Pieces<SourcePiece> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STEP) {
    const some = rows.slice(from, from + ROWS_PER_STEP)
    const deltaOf = deltas && (({ id }: SeriesRecord) => deltas.get(id))
    const body = bodyOf({ head, kind, rows: some }, context, deltaOf)
    const ids = deltas === undefined ? [] : some.map(({ record }) => record.id)
    yield body.points.length === 0 ? undefined : { metric: { ...head, ...body }, deltas: ids }
  }
}
