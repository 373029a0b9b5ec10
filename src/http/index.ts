/** The HTTP side of a hub. Public names. */

export { OtlpExporter, type OtlpOptions, type OtlpReports } from './export/otlp/exporter.ts'
export { OtlpSource } from './export/otlp/source.ts'
export type { PrometheusOptions } from './export/prometheus/exposition.ts'
export { HTTP_LIMITS, type HttpLimits, type HttpReports } from './limits.ts'
export { createHttpServer, type HttpServer, type HttpServerOptions } from './server.ts'
