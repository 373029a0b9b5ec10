/** The hub of a soak: its configuration with small limits, and what its answers say. */
import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SeriesInfo, SeriesPage } from '../../src/http/api.ts'
import { filterFile } from '../filters/compile.ts'
import { DEFINE, filterText, hostileFilter, INCREMENT } from '../filters/hostile.ts'
import { assembleWat } from '../filters/wat.ts'
import { type Address, type HubProcess, startHubProcessWith } from '../support/hub/hub-process.ts'

/** Small enough that strangers meet them, large enough for all whose numbers are compared. */
const LIMITS = {
  ingestWorkers: 2,
  expireAfterS: 15,
  seriesLimitPerSource: 400,
  connectionsLimitPerAddress: 60,
  firstMessageTimeoutMs: 5000,
  messageTimeoutMs: 5000,
  unfinishedBytesLimit: 8_388_608,
  unfinishedBytesLimitPerAddress: 4_194_304,
  zoneBytesLimit: 33_554_432,
  liveBytesLimit: 1_048_576,
  sessionsLimit: 60,
  wallaroo: { retentionMs: 60_000, windowBytesLimit: 1_048_576, workersLimit: 300 },
  eventcounters: { sessionsLimit: 20, outputBytes: 65_536 },
  scope: { maxClients: 16, maxBufferedBytes: 1_048_576, stallTimeoutMs: 5000 },
}
const CALL_TIMEOUT_MS = 200
const ANSWER_TRIES = 30
const ANSWER_PAUSE_MS = 500
const ANSWER_TIMEOUT_MS = 30_000

/** Addresses of what the hub sends to, and reads from. */
interface Peers {
  readonly relay: readonly string[]
  readonly attach: readonly string[]
  readonly otlp: string
}

/** Filter that counts each request in `n`, and traps in every fifth. */
const TRAPS_LATER = filterText({
  imports: `${DEFINE} ${INCREMENT}`,
  memory: '(memory (export "memory") 1) (data (i32.const 16) "n")',
  onStart: '(i32.eqz (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 32)))',
  onRequest: `
    (drop (call $increment (i32.load (i32.const 32)) (i64.const 1)))
    (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
    (if (i32.eqz (i32.rem_u (global.get $turns) (i32.const 5))) (then unreachable))
    (i32.const 0)`,
})

/** @param folder for files of the run */
export async function startTarget(folder: string, peers: Peers): Promise<Target> {
  const file = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(folder, `${name}.wasm`)
    await writeFile(path, bytes)
    return path
  }
  const filters = [
    { name: 'raw', path: await filterFile('raw'), requestsPerSecond: 50 },
    {
      name: 'traps',
      path: await file('traps', await assembleWat(TRAPS_LATER)),
      requestsPerSecond: 20,
    },
    {
      name: 'loops',
      path: await file('loops', await hostileFilter('loopsLater')),
      ...{ requestsPerSecond: 5, callTimeoutMs: CALL_TIMEOUT_MS },
    },
  ]
  const config = {
    ...LIMITS,
    relay: peers.relay,
    attach: peers.attach,
    otlp: { url: peers.otlp, intervalMs: 1000, temporality: 'delta' },
    proxywasm: { filters },
  }
  const path = join(folder, 'hub.json')
  await writeFile(path, JSON.stringify(config))
  const execArgv = ['--max-old-space-size=512', '--expose-gc']
  const hub = await startHubProcessWith({ execArgv, isWatched: true }, 'serve', '--config', path)
  return new Target(hub)
}

export class Target {
  readonly hub: HubProcess

  constructor(hub: HubProcess) {
    this.hub = hub
  }

  get text(): Address {
    return this.hub.listeners.text
  }

  get stream(): Address {
    return this.hub.listeners.stream
  }

  get http(): Address {
    return this.hub.listeners.http
  }

  get base(): string {
    return `http://${this.http.host}:${this.http.port}`
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.read(path)) as T
  }

  /** Reads an answer; asked again where the hub has too many large ones to make. */
  async read(path: string): Promise<string> {
    for (let left = ANSWER_TRIES; ; left--) {
      const { status, text } = await this.get(path)
      if (status === 200) return text
      if (left === 1) throw new Error(`${path}: status ${status}`)
      await wait(ANSWER_PAUSE_MS)
    }
  }

  /** Reads an answer over a connection of its own, so that none is kept open. */
  get(path: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
      get(this.base + path, { agent: false, signal }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        incoming.on('error', reject)
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
      }).on('error', reject)
    })
  }

  /** Finds series by words of the API's filter. */
  async series(filter: string): Promise<readonly SeriesInfo[]> {
    const path = `/api/v1/series?limit=1000&filter=${encodeURIComponent(filter)}`
    return (await this.json<SeriesPage>(path)).series
  }

  /** Finds a series by its whole name; undefined until the hub knows it. */
  async named(name: string): Promise<SeriesInfo | undefined> {
    return (await this.series(name)).find((each) => each.name === name)
  }
}
