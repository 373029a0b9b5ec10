/**
 * The Wallaroo codec, pure: bytes to a visitor's calls, messages to frames. By the life of a frame:
 * the scanner finds it, its names, bins and extremes are read in place; and the way back.
 */
export { binOf, wholeLatency } from './codec/binning.ts'
export {
  encodeConnect,
  encodeError,
  encodeJoin,
  encodeMetrics,
  extremesOnWire,
  type Metrics,
} from './codec/encode.ts'
export { FrameScanner, type LengthReading } from './codec/frame-scan.ts'
export type { FrameVisitor } from './codec/frame-visitor.ts'
export { MetricsFrame } from './codec/metrics-frame.ts'
export { textOf } from './codec/text.ts'
