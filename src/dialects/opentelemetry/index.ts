/**
 * The dialect OpenTelemetry: metrics pushed by OTLP/HTTP (README.md). Public as
 * `pentameter/opentelemetry`; its constants as `pentameter/opentelemetry/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export { decodeOpenTelemetry, encodeOpenTelemetry, type ResourceMetrics } from './codec.ts'
