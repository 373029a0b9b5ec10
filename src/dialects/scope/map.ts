/**
 * The border between the model's words and the protocol's: what one series is called on the wire,
 * what Info says of it, and what a metric of another server is in the model.
 */
import {
  compareUtf8,
  type Identity,
  type Labels,
  type Metadata,
  MINUTE,
  rateSuffix,
  sortLabels,
} from '../../model/index.ts'
import { type CanonicalSeries, TOTAL } from '../snapshot-source.ts'
import { foldName, splitName } from './names.ts'
import { SERVER_DEFAULTS, type ServerSettings } from './options.ts'
import { SeriesRules } from './rules.ts'
import { COLOR_LABEL, NAME, PLOT_LABEL, TYPE_LABEL } from './spec.ts'

/** Labels that our servers add to Info for what the protocol has no field for. */
const UNIT_LABEL = 'unit'
const KIND_LABEL = 'type'
const DISPLAY_NAME_LABEL = 'display_name'
const ESTIMATED_LABEL = 'estimated'

/** UTF-16 units of a unit, a name to show or a hint that Info gives; longer ones are not kept. */
const METADATA_UNITS_LIMIT = 512

/** One series as a snapshot carries it. */
interface ExposedSeries {
  readonly wireName: string
  /** Place in the source's list. */
  readonly index: number
  readonly labels: Labels
}

/** Reason why a series is not exported, though no rule excludes it. */
export type OmitReason = 'empty_name' | 'name_taken' | 'max_series' | 'max_bytes'

/** Series left out for one reason. */
interface Omission {
  count: number
  /** Name of the first of them. */
  readonly name: string
}

export interface Exposure {
  /** Sorted by the UTF-8 bytes of the wire names, which are distinct. */
  readonly series: readonly ExposedSeries[]
  readonly omissions: ReadonlyMap<OmitReason, Readonly<Omission>>
}

type ExposeOptions = Pick<
  ServerSettings,
  'maxSeries' | 'maxBufferedBytes' | 'nameStyle' | 'include' | 'exclude' | 'hints'
>

/** Series taken so far, and the bytes of their names and labels. */
interface Taken {
  readonly series: Map<string, ExposedSeries>
  bytes: number
}

/** Name and labels of a series, as long as its metadata stays. */
interface Naming {
  readonly metadata: Metadata
  readonly wireName: string
  readonly labels: Labels
  /** Bytes of name and labels. */
  readonly bytes: number
}

/**
 * Results kept by series, so that a list that changes costs what is new in it: even to ask for an
 * identity may take a microsecond.
 */
export interface KnownSeries {
  readonly namings: WeakMap<CanonicalSeries, Naming>
  readonly exported: WeakMap<CanonicalSeries, boolean>
}

export function knowNoSeries(): KnownSeries {
  return { namings: new WeakMap(), exported: new WeakMap() }
}

const encoder = new TextEncoder()

/**
 * Names every series of a source. Where the label that says where it was read from is all that
 * tells it from another one, the later one has it in its name; where even that does not, `__type`.
 */
export function exposeSeries(
  list: readonly CanonicalSeries[],
  options: ExposeOptions,
  known: KnownSeries = knowNoSeries(),
): Exposure {
  const rules = new SeriesRules(options)
  const taken: Taken = { series: new Map(), bytes: 0 }
  const omissions = new Map<OmitReason, Omission>()
  list.forEach((series, index) => {
    if (!isExported(series, rules, known)) return
    const reason = expose(series, index, rules, options, taken, known)
    if (reason === undefined) return
    const omission = omissions.get(reason)
    if (omission !== undefined) omission.count++
    else omissions.set(reason, { count: 1, name: series.identity.name })
  })
  const series = [...taken.series.values()].sort((a, b) => compareUtf8(a.wireName, b.wireName))
  return { series, omissions }
}

/** Series named between two pauses. */
const NAMED_PER_STEP = 16

/** Names ahead, in steps, what {@link exposeSeries} would name at once. */
export function* nameSeriesAhead(
  list: readonly CanonicalSeries[],
  options: ExposeOptions,
  known: KnownSeries,
): Generator<undefined, void> {
  const rules = new SeriesRules(options)
  let shown = 0
  for (let i = 0; i < list.length && shown < options.maxSeries; i++) {
    if (i % NAMED_PER_STEP === NAMED_PER_STEP - 1) yield
    const series = list[i]!
    if (!isExported(series, rules, known)) continue
    shown++
    if (known.namings.get(series)?.metadata === series.metadata) continue
    if (series.identity.name === '') continue
    known.namings.set(series, nameSeries(series, rules, options))
  }
}

function isExported(
  series: CanonicalSeries,
  rules: SeriesRules,
  { exported }: KnownSeries,
): boolean {
  if (rules.exportsAll) return true
  let verdict = exported.get(series)
  if (verdict === undefined) {
    verdict = rules.isExported(series.identity)
    exported.set(series, verdict)
  }
  return verdict
}

/** Adds one series to `taken`, or says why not. */
function expose(
  series: CanonicalSeries,
  index: number,
  rules: SeriesRules,
  options: ExposeOptions,
  taken: Taken,
  { namings }: KnownSeries,
): OmitReason | undefined {
  if (taken.series.size >= options.maxSeries) return 'max_series'
  const { metadata } = series
  let naming = namings.get(series)
  if (naming === undefined || naming.metadata !== metadata) {
    if (series.identity.name === '') return 'empty_name'
    naming = nameSeries(series, rules, options)
    namings.set(series, naming)
  }
  if (taken.series.has(naming.wireName)) {
    const other = namesApart(series).map((added) => nameSeries(series, rules, options, added))
    const free = other.find((each) => !taken.series.has(each.wireName))
    if (free === undefined) return 'name_taken'
    naming = free
  }
  const { wireName, labels, bytes } = naming
  // one Info of all has to fit a viewer's buffer
  if (taken.bytes + bytes > options.maxBufferedBytes) return 'max_bytes'
  taken.bytes += bytes
  taken.series.set(wireName, { wireName, index, labels })
  return undefined
}

/** Lists further labels by which a series may be told from one that has its name. */
function namesApart({ identity, metadata }: CanonicalSeries): Labels[] {
  const source = identity.labels.filter(([key]) => key === metadata.sourceLabel)
  const type: Labels = [[TYPE_LABEL, identity.kind]]
  return source.length === 0 ? [type] : [source, type, sortLabels([...source, ...type])]
}

/** Names a series. @param added further labels, of both the name and Info */
function nameSeries(
  series: CanonicalSeries,
  rules: SeriesRules,
  { nameStyle }: ExposeOptions,
  added: Labels = [],
): Naming {
  const { identity, metadata } = series
  const left = [PLOT_LABEL, COLOR_LABEL, metadata.sourceLabel]
  const own = identity.labels.filter(([key]) => !left.includes(key))
  const folded = added.length === 0 ? own : sortLabels([...own, ...added])
  const wireName = foldName(wireBase(series, nameStyle), folded)
  const labels = sortLabels([...infoLabels(series, rules), ...added])
  const texts = [wireName, ...labels.flat()]
  const bytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  return { metadata, wireName, labels, bytes }
}

/**
 * Names the canonical value of a series as viewers get it; one more label tells it from another
 * series of that name. Undefined where a rule leaves it out, or where it has no name.
 */
export function wireNameOf(
  { identity, metadata }: Pick<CanonicalSeries, 'identity' | 'metadata'>,
  options: Partial<ServerSettings>,
): string | undefined {
  const whole = { ...SERVER_DEFAULTS, ...options }
  const rules = new SeriesRules(whole)
  if (identity.name === '' || !rules.isExported(identity)) return undefined
  return nameSeries({ identity, metadata, isEstimated: false }, rules, whole).wireName
}

/** Makes the name without labels: a counter's rate states what it is per, its total does not. */
function wireBase(series: CanonicalSeries, nameStyle: ServerSettings['nameStyle']): string {
  const { identity, metadata, statistic } = series
  const shown = nameStyle === 'display' ? metadata.displayName : undefined
  const base = shown === undefined || shown === '' ? identity.name : shown
  const full = statistic === undefined ? base : `${base}.${statistic}`
  if (identity.kind !== 'counter') return full
  if (statistic === TOTAL) return base
  return full + rateSuffix(metadata.rateTimeScaleS ?? MINUTE)
}

/**
 * Makes the labels. Later pairs win: the series' own labels beat what we add, rules beat the
 * series' hints.
 */
function infoLabels(series: CanonicalSeries, rules: SeriesRules): (readonly [string, string])[] {
  const { identity, metadata } = series
  const labels: (readonly [string, string])[] = [[KIND_LABEL, identity.kind]]
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined) labels.push([key, value])
  }
  add(UNIT_LABEL, metadata.unit)
  add(DISPLAY_NAME_LABEL, metadata.displayName)
  add(ESTIMATED_LABEL, series.isEstimated ? 'true' : undefined)
  if (identity.qualifier !== undefined) labels.push(identity.qualifier)
  labels.push(...identity.labels)
  const hints = rules.hintsFor(identity)
  add(PLOT_LABEL, hints.plot ?? metadata.plot)
  add(COLOR_LABEL, hints.color ?? metadata.color)
  return labels
}

/**
 * Makes the identity of a server's metric: a gauge, known by its name alone. Of the labels only
 * those that are folded into the name, and the promoted ones, are part of its identity.
 */
export function metricIdentity(
  wireName: string,
  labels: ReadonlyMap<string, string>,
  promoteLabels: readonly string[],
): Identity {
  const split = splitName(wireName, labels)
  const promoted = promoteLabels.flatMap((key) => {
    const value = labels.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { name: split.base, kind: 'gauge', labels: sortLabels([...promoted, ...split.labels]) }
}

/** Hints and remarks that Info gives for a metric. */
export function metricMetadata(labels: ReadonlyMap<string, string>): Metadata {
  const fields = {
    type: labels.get(KIND_LABEL),
    unit: labels.get(UNIT_LABEL),
    displayName: labels.get(DISPLAY_NAME_LABEL),
    plot: labels.get(PLOT_LABEL),
    color: labels.get(COLOR_LABEL),
  }
  const known = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value.length <= METADATA_UNITS_LIMIT,
  )
  return { dialect: NAME, ...Object.fromEntries(known) }
}
