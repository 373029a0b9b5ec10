/** What `serve` has loaded once it is ready, and what the first request brings (decision 0021). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

const PROGRAM = join(import.meta.dirname, '../../bin/pentameter.js')
/** The sources themselves: of built files nobody can tell what they hold. */
const SOURCES = new URL('../../src/cli/main.ts', import.meta.url).href
const PORTS = ['--http-port', '0', '--text-port', '0', '--stream-port', '0']
/** Tells on stderr, for each line of stdin, what its process has loaded by then. */
const TELL = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
  process.stdin.on('data', () => {
    console.error(JSON.stringify({ loaded: [...urls, ...process.moduleLoadList] }))
  })
  process.stdin.unref()`
/** Sources and packages that wait for the first request, for a command, or for a peer. */
const LATER = {
  request: [/\/hono\//, /\/zod\//, /src\/http\/app\.ts$/, /dialects\/\w+\/http\/routes\.ts$/],
  command: [/dialects\/\w+\/(cli|demo)\//, /src\/cli\/(messages\/\w+|series)\.ts$/, /\/yaml\//],
  // all of fetch: an import of node:http, or a message of a BroadcastChannel, would load it
  node: [/^NativeModule internal\/deps\/undici\/undici$/, /^NativeModule zlib$/],
}

/** Asks as a scraper does: fetch says more of itself, as browsers do. */
async function statusOf(url: string): Promise<number | undefined> {
  const request = get(url)
  const [incoming] = (await once(request, 'response')) as [IncomingMessage]
  incoming.resume()
  await once(incoming, 'end')
  return incoming.statusCode
}

test('serve is ready, and scraped, before it has loaded what only others need', async (t) => {
  const preload = `data:text/javascript,${encodeURIComponent(TELL)}`
  const command = JSON.stringify(['serve', '--log', 'json', ...PORTS])
  const start = `import { main } from '${SOURCES}'; process.exitCode = await main(${command})`
  const args = ['--import', preload, '--input-type', 'module', '--eval', start]
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const told = createInterface(child.stderr)
  const loaded = async (): Promise<readonly string[]> => {
    child.stdin.write('?')
    for (;;) {
      const [line] = (await once(told, 'line')) as [string]
      if (line.startsWith('{"loaded"')) return JSON.parse(line).loaded
    }
  }
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { host, port } = JSON.parse(line).listeners.http
  const ask = (path: string) => fetch(`http://${host}:${port}${path}`)
  assert.equal((await ask('/healthz')).status, 200)
  assert.equal((await ask('/readyz')).status, 200)
  assert.equal(await statusOf(`http://${host}:${port}/metrics`), 200)
  const names = await loaded()
  const early = Object.values(LATER).flat()
  assert.ok(names.some((name) => name.endsWith('src/hub/hub.ts')))
  assert.deepEqual(
    names.filter((name) => early.some((pattern) => pattern.test(name))),
    [],
  )
  assert.equal((await ask('/api/v1/sources')).status, 200)
  const later = await loaded()
  for (const pattern of LATER.request) assert.ok(later.some((name) => pattern.test(name)))
})

test('V8 is held back while serve starts, and free once it is ready', async (t) => {
  const tell = `
    import v8 from 'node:v8'
    import { syncBuiltinESMExports } from 'node:module'
    const set = v8.setFlagsFromString
    v8.setFlagsFromString = (flags) => {
      process.stdout.write(flags + '\\n')
      set(flags)
    }
    syncBuiltinESMExports()`
  const preload = `data:text/javascript,${encodeURIComponent(tell)}`
  const args = ['--import', preload, PROGRAM, 'serve', '--log', 'json', ...PORTS]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (line === '--opt') break
  }
  const flags = lines.filter((line) => line.startsWith('--'))
  assert.deepEqual(flags, [
    '--semi-space-growth-factor=1',
    '--no-opt',
    '--expose-gc',
    '--semi-space-growth-factor=2',
    '--opt',
  ])
})

test('each thread of a hub collects once what its start has left', async (t) => {
  const args = ['--trace-gc', PROGRAM, 'serve', '--log', 'json', '--ingest-workers', '1', ...PORTS]
  // a history of its own, which no other program holds
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-start-modules-'))
  const env = { ...process.env, PENTAMETER_HISTORY: folder }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  })
  const threads = new Set<string>()
  for await (const line of createInterface(child.stdout)) {
    // [pid:address of the thread's heap] … and "testing" where a program has asked for it
    const found = /^\[\d+:(\w+)\].* testing; GC/.exec(line)
    if (found !== null) threads.add(found[1]!)
    // main, ingest, history
    if (threads.size === 3) break
  }
  assert.equal(threads.size, 3)
})
