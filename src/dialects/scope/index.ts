/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md). And a viewer's board: what page and terminal draw
 * of samples, whatever brought them. Public as `pentameter/scope`; its wire constants as
 * `pentameter/scope/spec`.
 */
export type { Range } from '../../model/axis.ts'
export {
  Board,
  type BoardCounts,
  type BoardInput,
  type BoardOptions,
  type SampleGroup,
} from '../../model/board/board.ts'
export { boardValueText, lineCaption, plotTitle } from '../../model/board/captions.ts'
export type { TriggerEvents } from '../../model/board/events.ts'
export type { Line, LineAbout } from '../../model/board/line/line.ts'
export type { Chunk, SampleLog } from '../../model/board/line/sample-log.ts'
export type { Trace } from '../../model/board/line/trace.ts'
export {
  type PlotOption,
  parseColor,
  parsePlot,
  parseSma,
  parseSource,
  parseTrigger,
  parseYRange,
  type SmaOption,
  type SourceAddress,
  type TriggerOption,
  type YRange,
} from '../../model/board/options.ts'
export type { LinePicture, PlotPicture, ThresholdPicture } from '../../model/board/picture.ts'
export { colorOf, type LineColor, PALETTE, type Plot } from '../../model/board/plots.ts'
export {
  movingAverage,
  movingAverageOver,
  type Window as AverageWindow,
} from '../../model/board/sma.ts'
export type { Span, ViewState } from '../../model/board/time-view.ts'
export {
  type Thresholds,
  Trigger,
  type TriggerChange,
  type TriggerEvent,
  type TriggerSide,
} from '../../model/board/trigger.ts'
export type { TypedRange, YRanges } from '../../model/board/y-ranges.ts'
export type { CodecOptions, Decoded } from '../decoder.ts'
export type { CanonicalSeries, SnapshotSource } from '../snapshot-source.ts'
export { BoardFeed } from './client/board-feed.ts'
export type { Sample } from './client/mirror.ts'
export type { MirroredSeries } from './client/name-memory.ts'
export {
  ScopeClient,
  type ScopeClientCounts,
  type ScopeClientOptions,
  type ScopeClientState,
  type ScopeClientStatus,
} from './client.ts'
export type { PlainMessage } from './codec/messages.ts'
export { decodeScope, encodeScope } from './codec.ts'
export type { HintRule, Match } from './options.ts'
export { type CallbackSeries, CallbackSource } from './server/callback-source.ts'
export { ScopeServer, type ScopeServerOptions } from './server.ts'
