/** Runs a hub with its HTTP server until a signal ends it, and says on the way what is going on. */
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { dialect as eventcounters } from '../dialects/eventcounters/dialect.ts'
import type { OPTIONS } from '../dialects/eventcounters/options.ts'
import type { ValuesOf } from '../dialects/options.ts'
import { GUESTS } from '../dialects/registry.ts'
import { createHttpServer, OtlpExporter, OtlpSource } from '../http/index.ts'
import type { FilterNames } from '../http/prometheus/names.ts'
import { dialectOptions } from '../hub/config/config.ts'
import { Hub, type HubConfig, type Log, limitLog, systemClock } from '../hub/index.ts'
import { CommandError, EXIT_FAILED } from './exit.ts'
import { HttpListener } from './http-listener.ts'
import { createLog, type LogFormat } from './log.ts'
import { type Addresses, startReport } from './start-report.ts'

/** Where the built page is: beside the compiled files, and in a checkout's dist alike. */
const WEB_ROOT = fileURLToPath(new URL('../../dist/web/', import.meta.url))

type CounterOptions = ValuesOf<typeof OPTIONS>

export interface RunOptions {
  readonly log: LogFormat
  readonly color: boolean
}

/** What `demo` does once the hub is up; the returned function ends it. */
export type Companion = (addresses: Addresses, log: Log) => Promise<() => Promise<void>>

export async function runHub(
  config: HubConfig,
  options: RunOptions,
  companion?: Companion,
): Promise<void> {
  const isColored = options.color && process.stderr.isTTY && !process.env.NO_COLOR
  const log = limitLog(createLog(options.log, isColored), systemClock)
  const hub = new Hub({ config, clock: systemClock, log, guests: GUESTS })
  const otlp = otlpOf(config, hub, log)
  const counters = dialectOptions(config, eventcounters.name) as unknown as CounterOptions
  const http = createHttpServer({
    otlp,
    view: hub,
    webRoot: WEB_ROOT,
    host: config.host,
    port: config.httpPort,
    allowedHosts: config.allowedHosts,
    prometheus: {
      ...config.prometheus,
      counterNames: counters.prometheusNames,
      filterNames: dialectOptions(config, 'proxywasm').prometheusNames as FilterNames,
    },
    eventcounters: {
      limits: counters,
      reports: hub.reports.for(eventcounters.name),
    },
    reports: {
      count: (name, reason) => hub.metrics.counter(`pentameter.http.${name}`, { reason }).add(),
      log,
    },
  })
  const ending = signalled(log)
  const listener = new HttpListener(
    http,
    { host: config.host, port: config.httpPort },
    systemClock,
    log,
  )
  await hub.start()
  const page = await listener.start()
  const { text, stream } = hub.addresses()
  const addresses: Addresses = { http: page, text, stream }
  hub.servedBy(addresses.http)
  if (Object.values(addresses).every((address) => address?.error !== undefined)) {
    await listener.stop()
    await hub.stop()
    throw new CommandError('no listener could be started, see above')
  }
  process.stdout.write(startReport(options.log, addresses, hub.sources()))
  const endCompanion = await companion?.(addresses, log)
  await ending
  await endCompanion?.()
  await listener.stop()
  await hub.stop()
  log('info', 'stopped')
}

/** Pushes to the receiver of the config; without one it only shows what it would say. */
function otlpOf({ otlp, host, httpPort }: HubConfig, hub: Hub, log: Log) {
  const instance = `${hostname()}:${host}:${httpPort}`
  const resource = { 'service.instance.id': instance, ...otlp.resource }
  if (otlp.url === '') return new OtlpSource(hub, { ...otlp, resource })
  const options = { ...otlp, resource, url: receiverUrl(otlp.url) }
  const exporter = new OtlpExporter(hub, options, {
    count: (name, reason, amount) => {
      hub.metrics.counter(`pentameter.otlp.${name}`, { reason }).add(amount)
    },
    log,
  })
  hub.addSink(exporter)
  return exporter
}

/** An address without a path is that of the receiver, as OTEL_EXPORTER_OTLP_ENDPOINT has it. */
function receiverUrl(text: string): string {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/v1/metrics'
  return url.href
}

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, or when the process that started this one goes
 * away (an older Node that handed over, bin/pentameter.js); the second signal ends the process at
 * once. Called before anything starts, so that a signal is never met by the platform's own way to
 * die.
 */
function signalled(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let count = 0
    const onSignal = (signal: NodeJS.Signals): void => {
      count++
      if (count > 1) process.exit(EXIT_FAILED)
      log('info', `${signal}: finishing the running second; once more stops at once`)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
    process.on('SIGHUP', onSignal) // the terminal was closed
    process.on('disconnect', resolve)
    process.channel?.unref()
  })
}
