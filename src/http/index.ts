/** The HTTP side of a hub. Public names. */
export { HTTP_LIMITS, type HttpLimits } from './limits.ts'
export { OtlpExporter, type OtlpOptions, type OtlpReports } from './otlp/exporter.ts'
export { type OtlpName, otlpName } from './otlp/names.ts'
export { OtlpSource } from './otlp/source.ts'
export type { PrometheusOptions } from './prometheus/exposition.ts'
export { exportNames, type PrometheusName, prometheusName } from './prometheus/names.ts'
export type { HttpReports } from './reports.ts'
export { createHttpServer, type HttpServer, type HttpServerOptions } from './server.ts'
