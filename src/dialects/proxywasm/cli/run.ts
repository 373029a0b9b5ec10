/** `pentameter proxy-wasm run`: one filter, so that a person sees what it does. */
import { setTimeout } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { CommandError, EXIT_FAILED, EXIT_USAGE } from '../../../terminal/exit.ts'
import { parsePort, wholeNumber } from '../../../terminal/flag-values.ts'
import { onExit, printable } from '../../../terminal/index.ts'
import type { CommandLine } from '../../command-line.ts'
import type { FilterLogLine } from '../host/options.ts'
import type { FilterRequest } from '../host/stream/exchange.ts'
import { inventedRequest } from '../hub/traffic.ts'
import { NAME_LENGTH_MAX, NAME_LENGTH_MIN, WORKERS_LIMIT } from '../store/filter-settings.ts'
import { FilterRun } from './filter-run.ts'
import {
  filterOptionsOf,
  parseHeader,
  parseHistogram,
  parseRate,
  parseSlabSize,
  type RunArguments,
} from './run-options.ts'
import { Screen } from './screen.ts'
import { readWasmFile } from './wasm-file.ts'
import { listenForRequests } from './web-requests.ts'

const EXAMPLES = `
The filter's log and what is refused go to stderr, the table of its metrics to stdout: on a terminal
it is painted anew twice a second, elsewhere printed once. Exit code 1 when a request failed.

A filter built with @solo-io/proxy-runtime traps in its onConfigure when the configuration is empty:
give it one, as --config '{}'.

Examples:
  $ pentameter proxy-wasm run auth.wasm
  $ pentameter proxy-wasm run auth.wasm --config @auth.json --requests 1000 --rate 100
  $ pentameter proxy-wasm run auth.wasm --header :path=/login --header x-user=7 --json
  $ pentameter proxy-wasm run auth.wasm --workers 4 --histogram 1,5,10,50 --slab-size 64k
  $ pentameter proxy-wasm run auth.wasm --listen 8000       and then: curl localhost:8000/
  $ pentameter proxy-wasm run auth.wasm --serve --rate 20   with page and /metrics`

const REQUESTS = 10
const SERVE_RATE = 10
const PAINT_MS = 500
/** Requests that are under way at once where no rate is asked for. */
const AT_ONCE = 16

export function addRun(group: Command, commandLine: CommandLine): void {
  group
    .command('run')
    .description('run a filter with invented or real requests and show its metrics')
    .argument('<file>', 'the .wasm or .wat file')
    .option('--name <name>', 'of the filter (default: that of the file)')
    .addOption(
      new Option('--host <mode>', 'whose answers its metric calls get')
        .choices(['spec', 'nginx', 'envoy'])
        .default('spec'),
    )
    .addOption(
      new Option('--profile <profile>', 'names as pw.FILTER.NAME or pw:FILTER:NAME')
        .choices(['document', 'peer'])
        .default('document'),
    )
    .option('--config <text>', 'what proxy_on_configure reads, or @FILE', '')
    .option('--vm-config <text>', 'what proxy_on_vm_start reads, or @FILE', '')
    .option('--root-id <id>', 'answer to plugin_root_id (default: the name)')
    .option('--unit <unit>', 'of its histograms, as ms')
    .option('--slab-size <size>', 'that its metrics may take', parseSlabSize, '5m')
    .option(
      '--max-metric-name-length <bytes>',
      'of a name with its prefix',
      wholeNumber({ min: NAME_LENGTH_MIN, max: NAME_LENGTH_MAX }),
      256,
    )
    .option(
      '--histogram <form>',
      'dense, expanding (5 to 18 bins), or bounds as 1,5,10',
      parseHistogram,
      'dense',
    )
    .option(
      '--workers <number>',
      'threads that share its requests',
      wholeNumber({ min: 1, max: WORKERS_LIMIT }),
      1,
    )
    .addOption(
      new Option('--metric-names <how>', 'with pw.FILTER. in front, or the filter as a label')
        .choices(['label', 'prefix'])
        .default('label'),
    )
    .addOption(
      new Option('--requests <count>', `how many (default: ${REQUESTS})`)
        .argParser(wholeNumber({ min: 0 }))
        .conflicts(['listen', 'serve']),
    )
    .addOption(
      new Option('--rate <perSecond>', 'at most so many in a second (default: as fast as it can)')
        .argParser(parseRate)
        .conflicts('listen'),
    )
    .addOption(
      new Option('--header <name=value>', 'of every invented request, may be repeated')
        .argParser(parseHeader)
        .default([], 'none')
        .conflicts(['listen', 'serve']),
    )
    .option('--call-timeout <ms>', 'ends a filter that takes longer', wholeNumber({ min: 1 }), 1000)
    .addOption(
      new Option('--listen <port>', 'send HTTP requests to 127.0.0.1:PORT through it')
        .argParser(parsePort)
        .conflicts('serve'),
    )
    .option('--serve', 'start the hub with it: page, API and /metrics')
    .option('--http-port <port>', 'of the page, with --serve (default: 4000)', parsePort)
    .addOption(new Option('--json', 'the result as JSON').conflicts('serve'))
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, args: RunArguments) => {
      if (args.httpPort !== undefined && !args.serve) {
        throw new CommandError('--http-port is that of the page, which --serve starts', EXIT_USAGE)
      }
      if (args.serve) await serveFilter(path, args, commandLine)
      else await runFilter(path, args)
    })
}

async function serveFilter(
  path: string,
  args: RunArguments,
  { serve }: CommandLine,
): Promise<void> {
  await readWasmFile(path)
  const { name, configuration, vmConfiguration, rootId } = await filterOptionsOf(path, args)
  const filter = {
    name,
    path,
    host: args.host,
    profile: args.profile,
    configuration,
    vmConfiguration,
    requestsPerSecond: args.rate ?? SERVE_RATE,
    callTimeoutMs: args.callTimeout,
    ...(rootId === undefined ? {} : { rootId }),
    ...(args.unit === undefined ? {} : { unit: args.unit }),
  }
  const { slabSize, maxMetricNameLength, histogram, workers, metricNames } = args
  const settings = {
    ...{ slabSize, maxMetricNameLength, workers, metricNames },
    histogram: typeof histogram === 'string' ? histogram : histogram.join(),
  }
  const port = args.httpPort === undefined ? {} : { httpPort: args.httpPort }
  await serve({ ...port, proxywasm: { ...settings, filters: [filter] } })
}

async function runFilter(path: string, args: RunArguments): Promise<void> {
  const { module } = await readWasmFile(path)
  const filter = await filterOptionsOf(path, args)
  const screen = new Screen(process.stdout, process.stderr)
  const onLog = (line: FilterLogLine): void => screen.line(logText(line))
  const { host, profile, callTimeout, unit = '' } = args
  const { slabSize, maxMetricNameLength, histogram, workers, metricNames } = args
  const options = {
    ...{ path, module, filter, host, profile, callTimeoutMs: callTimeout, unit, onLog },
    ...{ slabSize, maxMetricNameLength, histogram, workers },
    isPrefixShown: metricNames === 'prefix',
  }
  const run = await FilterRun.start(options)
  const isPainted = screen.isLive && !args.json
  const painter = setInterval(() => isPainted && screen.paint(run.lines()), PAINT_MS)
  const stop = new AbortController()
  const interrupted = Promise.withResolvers<void>()
  const off = onExit(process, {
    end() {
      stop.abort()
      interrupted.resolve()
    },
  })
  try {
    if (args.listen === undefined) {
      await Promise.race([sendAll(run, args, stop.signal), interrupted.promise])
    } else await serveRequests(run, args.listen, screen, interrupted.promise)
  } finally {
    clearInterval(painter)
    screen.end(args.json ? [JSON.stringify(run.report(), null, 2)] : run.lines())
    await run.close()
    off()
  }
  if (run.hasFailed) process.exitCode = EXIT_FAILED
}

async function serveRequests(
  run: FilterRun,
  port: number,
  screen: Screen,
  interrupted: Promise<void>,
): Promise<void> {
  const web = await listenForRequests(port, (request) => run.request(request))
  screen.line(`requests to http://127.0.0.1:${web.port}/ go through the filter; Ctrl-C ends`)
  await interrupted
  await web.close()
}

/** Sends all requests, or ends early at the signal: nothing of it may keep the process. */
async function sendAll(
  run: FilterRun,
  { requests = REQUESTS, rate, header }: RunArguments,
  signal: AbortSignal,
): Promise<void> {
  if (rate === undefined) {
    let next = 0
    const sender = async (): Promise<void> => {
      while (next < requests && !signal.aborted) {
        await run.request(withHeaders(inventedRequest(next++), header))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sender))
    return
  }
  const startMs = performance.now()
  for (let n = 0; n < requests && !signal.aborted; n++) {
    const waitMs = startMs + (n * 1000) / rate - performance.now()
    if (waitMs > 0 && !(await hasWaited(waitMs, signal))) return
    await run.request(withHeaders(inventedRequest(n), header))
  }
}

/** @returns false when the signal came first */
function hasWaited(ms: number, signal: AbortSignal): Promise<boolean> {
  return setTimeout(ms, true, { signal }).catch(() => false)
}

/** Adds headers; one of the same name is replaced. */
function withHeaders(request: FilterRequest, given: RunArguments['header']): FilterRequest {
  const kept = (request.headers ?? []).filter(([name]) => !given.some(([own]) => own === name))
  return { ...request, headers: [...kept, ...given] }
}

function logText({ level, text }: FilterLogLine): string {
  return `${level.padEnd(8)} ${printable(text)}`
}
