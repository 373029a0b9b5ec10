/** The examples do what their first lines say, as a reader would run them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type HubProcess, startHubProcess } from './support/hub/hub-process.ts'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** What `pentameter/…` means there, without a build. */
const SOURCES = new URL('support/package-sources.ts', import.meta.url).href
/** Three requests of one route, as a scrape tells of them. */
const REQUESTS = /^http_server_request_duration_seconds_count\{.*http_route="\/cart\/:id".*\} 3$/m
/** What each example prints at its end. */
const OUTPUTS: Record<string, RegExp> = {
  'cluster.ts': /^example_pages_visits_total\{.*\} 4\nmetrics_processes\{of="cluster",.*\} 2\n$/,
  'counter-threads.ts': /^jobs 3000, latencies 3000\n$/,
  'embed.ts':
    /2 seconds with \[ \{ kind: 'counter', delta: 3 \} \]\ntotal \{ .* total: 3, decrements: 0 \}/,
  'events.ts':
    /^pino.records .*'warn' \] \] 1\n.*'error' \] \] 1\nexample.requests .*'HEAD' \] \] 1\n$/,
  'express.ts': REQUESTS,
  'fastify.ts': REQUESTS,
  'fetch-handler.ts':
    /^(example_shop_request_time_seconds_count\{.*\[id\]",status="(200"\} 2|404"\} 1)\n){2}$/,
  'hono.ts': REQUESTS,
  'host-filter.ts':
    /a_counter 100n\n[\s\S]*a_histogram sum 1000n\n100 requests, 0 failed, 0 traps\n/,
  'instrument-server.ts':
    /every 1 s {2}Example\.Web request-time [\d.]+ ms[\s\S]*every 3 s {2}Node\.Runtime event-loop/,
  'metrics.ts': /^example_web_requests_total\{.*,status="200"\} 3\n\d\d families of Node$/m,
  'opentelemetry.ts': /^checkout_duration_seconds_count\{.*payment="card"\} 3\n$/,
  'pipeline.ts':
    /^initializer: \d+ windows sent, 0 dropped\nworker2: [1-9]\d* windows sent, 0 dropped\n$/,
  'prom-client.ts': /^logins_total 2\nshop_orders_total\{provider="shop"\} 3\n$/,
  'requests.ts': /^(req_time rdbms_time rdbms_count\n){3}sent 33 lines\n$/,
  'scope.ts':
    /p99\{provider:Motor\}=\d[\s\S]*^motor: current\{provider:Motor\}=[5-9].*\sA$[\s\S]*requests/m,
  'send.ts': /^sent 300 lines$/m,
  'watch.ts': /^(\d+ values: .*\n){3}$/,
  'worker-threads.ts': /_busy_seconds_total\{.*\} 750'[\s\S]*_count\{.*\} 3000'[\s\S]*\} 3001'/,
  'zone-threads.ts': /^jobs 1000000\nsizes 1000000, mean 511\.\d+\n$/,
}
/** Those that need no hub. */
const ALONE = new Set([
  'cluster.ts',
  'counter-threads.ts',
  'embed.ts',
  'events.ts',
  'express.ts',
  'fastify.ts',
  'fetch-handler.ts',
  'hono.ts',
  'host-filter.ts',
  'instrument-server.ts',
  'metrics.ts',
  'opentelemetry.ts',
  'prom-client.ts',
  'scope.ts',
  'worker-threads.ts',
  'zone-threads.ts',
])
/** Shorter than what a reader would wait for. */
const SHORTER: Readonly<Record<string, readonly string[]>> = {
  'instrument-server.ts': ['1', '3'],
  'pipeline.ts': ['2'],
  'scope.ts': ['2.5'],
}

let hub: HubProcess

before(async () => {
  hub = await startHubProcess('serve')
})
after(() => hub.stop())

test('every example has an expectation here', () => {
  assert.deepEqual(readdirSync(FOLDER), Object.keys(OUTPUTS))
})

for (const [name, expected] of Object.entries(OUTPUTS)) {
  test(`${name} runs and prints what it should`, () => {
    const { listeners } = hub
    const isText = name === 'send.ts' || name === 'requests.ts'
    const port = isText ? listeners.text.port : listeners.stream.port
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--import',
        SOURCES,
        `${FOLDER}${name}`,
        ...(ALONE.has(name) ? [] : [String(port)]),
        ...(SHORTER[name] ?? []),
      ],
      { encoding: 'utf8', timeout: 30_000 },
    )
    assert.equal(status, 0, stderr)
    assert.match(stdout, expected)
  })
}
