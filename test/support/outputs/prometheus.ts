/**
 * A real Prometheus for conformance tests: the binary of the system (Debian package `prometheus`;
 * PROMETHEUS names another), on a free port, with a folder of its own, ended by its process.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

export const PROMETHEUS = process.env.PROMETHEUS ?? '/usr/bin/prometheus'

/** Why the test cannot run here; undefined when it can. */
export const whyNoPrometheus: string | undefined = existsSync(PROMETHEUS)
  ? undefined
  : `${PROMETHEUS} is not there: install Debian's package prometheus, or set PROMETHEUS`

/** Longest wait for a scrape with its result; the interval is one second. */
const PATIENCE_MS = 30_000

/** Prometheus asks for OpenMetrics by itself; text only is what a proxy may leave of the header. */
export interface ScrapeTarget {
  readonly job: string
  readonly port: number
}

/** Rest of its configuration, which a test may change. */
export interface PrometheusSettings {
  readonly flags?: readonly string[]
  /** Address that it writes all samples to. */
  readonly remoteWrite?: string
}

export interface QueryResult {
  readonly metric: Readonly<Record<string, string>>
  readonly value: string
}

export class Prometheus {
  readonly #folder: string
  readonly #process: ChildProcess
  readonly #url: string
  #output = ''

  private constructor(folder: string, port: number, flags: readonly string[]) {
    this.#folder = folder
    this.#url = `http://127.0.0.1:${port}`
    this.#process = spawn(
      PROMETHEUS,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#process.stderr!.on('data', (chunk: Buffer) => {
      this.#output += chunk
    })
  }

  static async start(
    targets: readonly ScrapeTarget[],
    { flags = [], remoteWrite }: PrometheusSettings = {},
  ): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-prometheus-'))
    writeFileSync(join(folder, 'prometheus.yml'), configText(targets, remoteWrite))
    return new Prometheus(folder, await freePort(), flags)
  }

  /** What it has said on stderr: warnings about samples that it did not take, for instance. */
  get warnings(): string {
    return this.#output
  }

  /** Asks until the answer is as wished; fails with the last one when it never is. */
  async queryUntil(
    query: string,
    isRight: (results: readonly QueryResult[]) => boolean,
  ): Promise<readonly QueryResult[]> {
    const endMs = Date.now() + PATIENCE_MS
    let last: unknown
    while (Date.now() < endMs) {
      if (this.#process.exitCode !== null) throw new Error(`prometheus ended: ${this.#output}`)
      try {
        const results = await this.#query(query)
        if (isRight(results)) return results
        last = results
      } catch (error) {
        last = error
      }
      await setTimeout(200)
    }
    throw new Error(`${query}: ${JSON.stringify(last)} ${String(last)}\n${this.#output}`)
  }

  async #query(query: string): Promise<QueryResult[]> {
    const answer = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`)
    const body = (await answer.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] }
    }
    return body.data.result.map(({ metric, value }) => ({ metric, value: value[1] }))
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL')
      await once(this.#process, 'exit')
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The result of Prometheus' own checker of the text format (its exit code 3 is advice only). */
export function promtoolComplaints(text: string): string {
  try {
    execFileSync('promtool', ['check', 'metrics'], { input: text, stdio: 'pipe' })
    return ''
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: Buffer }
    return status === 3 ? '' : stderr.toString()
  }
}

function configText(targets: readonly ScrapeTarget[], remoteWrite?: string): string {
  const jobs = targets.map(
    ({ job, port }) =>
      `  - job_name: ${job}\n    static_configs:\n      - targets: ['127.0.0.1:${port}']\n`,
  )
  const global = 'global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\n'
  const write =
    remoteWrite === undefined
      ? ''
      : `remote_write:\n  - url: ${remoteWrite}\n    send_native_histograms: true\n` +
        '    metadata_config:\n      send_interval: 1s\n'
  return `${global}${write}scrape_configs:\n${jobs.join('')}`
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
