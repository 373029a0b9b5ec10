/**
 * Real stores of metrics for conformance tests, VictoriaMetrics and Prometheus, as the system has
 * them: on a free port, with a folder of their own that outlives them, ended by their process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './prometheus.ts'

const PATIENCE_MS = 30_000

interface EngineKind {
  readonly name: string
  readonly program: string
  readonly package: string
  /** Forms of histograms that it takes. */
  readonly forms: readonly ('classic' | 'native')[]
  arguments(folder: string, port: number): string[]
  /**
   * Signal that ends it so that what it has confirmed is there again: VictoriaMetrics keeps the
   * last seconds in memory only, and loses them by a crash.
   */
  readonly end: NodeJS.Signals
}

export const ENGINES: readonly EngineKind[] = [
  {
    name: 'VictoriaMetrics',
    program: process.env.VICTORIA_METRICS ?? '/usr/bin/victoria-metrics',
    package: 'victoria-metrics',
    forms: ['classic'],
    end: 'SIGTERM',
    arguments: (folder, port) => [
      `-storageDataPath=${folder}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-loggerLevel=WARN',
      '-search.latencyOffset=0s',
    ],
  },
  {
    name: 'Prometheus',
    program: process.env.PROMETHEUS ?? '/usr/bin/prometheus',
    package: 'prometheus',
    forms: ['classic', 'native'],
    end: 'SIGKILL',
    arguments: (folder, port) => [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--enable-feature=native-histograms',
      '--log.level=warn',
    ],
  },
]

/** Says why a test with an engine can't run here; undefined when it can. */
export function whyNoEngine({ program, package: name }: EngineKind): string | undefined {
  return existsSync(program) ? undefined : `${program} is not there: install Debian's ${name}`
}

export interface RawSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [timeS: number, value: string])[]
}

export class Engine {
  readonly port: number
  readonly #kind: EngineKind
  readonly #folder: string
  #process: ChildProcess | undefined
  #output = ''

  private constructor(kind: EngineKind, folder: string, port: number) {
    this.#kind = kind
    this.#folder = folder
    this.port = port
  }

  static async start(kind: EngineKind): Promise<Engine> {
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-engine-'))
    writeFileSync(join(folder, 'prometheus.yml'), '')
    const engine = new Engine(kind, folder, await freePort())
    await engine.run()
    return engine
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Starts the program, again after {@link end}, and waits until it answers. */
  async run(): Promise<void> {
    const { program, arguments: of } = this.#kind
    const child = spawn(program, of(this.#folder, this.port), {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    child.stderr.on('data', (chunk: Buffer) => {
      this.#output += chunk
    })
    for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await setTimeout(100)) {
      if (child.exitCode !== null) break
      const isUp = await fetch(`${this.url}/api/v1/query?query=1`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isUp) return
    }
    throw new Error(`${this.#kind.name} does not start: ${this.#output}`)
  }

  /** Ends the program, as its {@link EngineKind} has it unless stated. */
  async end(signal = this.#kind.end): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  /** Waits until what was written can be read: VictoriaMetrics shows it after a second. */
  async settle(): Promise<void> {
    await fetch(`${this.url}/internal/force_flush`)
  }

  /** Reads all samples of some series, as they are kept, up to now. */
  async raw(selector: string, rangeS = 600): Promise<RawSeries[]> {
    const query = encodeURIComponent(`${selector}[${rangeS}s]`)
    const time = Math.ceil(Date.now() / 1000) + 2
    const answer = await fetch(`${this.url}/api/v1/query?query=${query}&time=${time}`)
    const body = (await answer.json()) as { data: { result: RawSeries[] } }
    return body.data.result
  }

  async stop(): Promise<void> {
    await this.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
