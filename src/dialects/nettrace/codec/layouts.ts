/**
 * Layouts of events that are known by name: what a process' counters say, what its meters say, and
 * the facts at the end of a session (nettrace.md §4, §7, §9). The reader needs none of them, since
 * a stream describes its events; who writes one does.
 */
import { type Field, TYPE } from '../spec.ts'
import { COUNTERS_EVENT, countersFields } from './message.ts'

/** An event without its number in a stream. */
export interface Layout {
  readonly name: string
  readonly eventId: number
  readonly version: number
  readonly level: number
  readonly opcode: number
  readonly keywords: bigint
  readonly fields: readonly Field[]
}

export const METRICS_PROVIDER = 'System.Diagnostics.Metrics'
const SESSION_PROVIDER = 'Microsoft-DotNETCore-EventPipe'

/** Keywords that managed sources add to their own, and the group of time series among those. */
const SOURCE_KEYWORDS = 0xf000_0000_0000n
const TIME_SERIES = SOURCE_KEYWORDS | 2n
const PUBLISHING = SOURCE_KEYWORDS | 4n
const INFORMATIONAL = 4

const OTHER_TYPES: Readonly<Record<string, number>> = {
  ...{ Mean: TYPE.f64, StandardDeviation: TYPE.f64, Min: TYPE.f64, Max: TYPE.f64 },
  ...{ Increment: TYPE.f64, Count: TYPE.i32, IntervalSec: TYPE.f32 },
  ...{ count: TYPE.i32, sum: TYPE.f64, instrumentId: TYPE.i32 },
  ...{ intervalStartTime: TYPE.date, intervalEndTime: TYPE.date },
}

function fieldsOf(names: string): Field[] {
  return names.split(' ').map((name) => ({ name, type: OTHER_TYPES[name] ?? TYPE.text }))
}

export const MEAN_FIELDS = fieldsOf(
  'Name DisplayName Mean StandardDeviation Count Min Max IntervalSec Series CounterType ' +
    'Metadata DisplayUnits',
)
export const SUM_FIELDS = fieldsOf(
  'Name DisplayName DisplayRateTimeScale Increment IntervalSec Metadata Series CounterType ' +
    'DisplayUnits',
)

/** Makes the layout of a counter's event; ids of the two kinds have to differ. */
export function counterLayout(fields: readonly Field[], eventId: number): Layout {
  const facts = { version: 0, level: 0, opcode: 0, keywords: 0n }
  return { name: COUNTERS_EVENT, eventId, ...facts, fields: countersFields(fields) }
}

const SERIES = 'sessionId meterName meterVersion instrumentName unit tags'
const INSTRUMENT =
  'sessionId meterName meterVersion instrumentName instrumentType unit description ' +
  'instrumentTags meterTags meterScopeHash instrumentId meterTelemetrySchemaUrl'
const LIMITS =
  'clientId expectedMaxHistograms actualMaxHistograms expectedMaxTimeSeries ' +
  'actualMaxTimeSeries expectedRefreshInterval actualRefreshInterval'

/** Events of meters: id, name, version, fields, and what else is not the usual. */
const METER_EVENTS: readonly [number, string, number, string, number?, bigint?][] = [
  [1, 'Message', 0, 'message', 0, SOURCE_KEYWORDS | 1n],
  [2, 'CollectionStart', 0, 'sessionId intervalStartTime intervalEndTime', 1],
  [3, 'CollectionStop', 0, 'sessionId intervalStartTime intervalEndTime', 2],
  [4, 'CounterRateValuePublished', 2, `${SERIES} rate value instrumentId`],
  [5, 'GaugeValuePublished', 2, `${SERIES} lastValue instrumentId`],
  [6, 'HistogramValuePublished', 2, `${SERIES} quantiles count sum instrumentId`],
  [7, 'BeginInstrumentReporting', 3, INSTRUMENT],
  [8, 'EndInstrumentReporting', 3, INSTRUMENT],
  [9, 'Error', 0, 'sessionId message'],
  [10, 'InitialInstrumentEnumerationComplete', 0, 'sessionId'],
  [11, 'InstrumentPublished', 3, INSTRUMENT, 0, PUBLISHING],
  [12, 'TimeSeriesLimitReached', 0, 'sessionId'],
  [13, 'HistogramLimitReached', 0, 'sessionId'],
  [14, 'ObservableInstrumentCallbackError', 0, 'sessionId errorMessage'],
  [15, 'MultipleSessionsNotSupportedError', 0, 'runningSessionId'],
  [16, 'UpDownCounterRateValuePublished', 2, `${SERIES} rate value instrumentId`],
  [17, 'MultipleSessionsConfiguredIncorrectlyError', 0, LIMITS],
]

const LAYOUTS: ReadonlyMap<string, Layout> = new Map(
  METER_EVENTS.map(([eventId, name, version, names, opcode = 0, keywords = TIME_SERIES]) => {
    const facts = { version, level: INFORMATIONAL, opcode, keywords }
    return [`${METRICS_PROVIDER}/${name}`, { name, eventId, ...facts, fields: fieldsOf(names) }]
  }),
)

const PROCESS: Layout = {
  ...{ name: 'ProcessInfo', eventId: 1, version: 1, level: INFORMATIONAL, opcode: 0, keywords: 0n },
  fields: fieldsOf('CommandLine OSInformation ArchInformation'),
}

/** Finds the layout of an event by its name; undefined for others and for counters. */
export function layoutOf(provider: string, name: string): Layout | undefined {
  if (provider === SESSION_PROVIDER && name === PROCESS.name) return PROCESS
  return LAYOUTS.get(`${provider}/${name}`)
}
