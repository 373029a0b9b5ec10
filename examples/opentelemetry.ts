/**
 * A program that is instrumented with OpenTelemetry: one reader, and all that its SDK records is on
 * our /metrics, in pushes and on the page, histograms in the buckets that a hub keeps.
 * Run: npx node examples/opentelemetry.ts
 */
import { metrics as otel } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { metrics } from 'pentameter'

const provider = new MeterProvider({ readers: [metrics.otelReader()] })
otel.setGlobalMeterProvider(provider)

// what instrumentations do
const times = otel.getMeter('shop').createHistogram('checkout.duration', { unit: 's' })
for (const seconds of [0.1, 0.2, 0.4]) times.record(seconds, { payment: 'card' })

await metrics.gather() // handlers and pushes do so by themselves
console.log(metrics.text().match(/^checkout_duration_seconds_count.*$/m)?.[0])
await provider.shutdown()
