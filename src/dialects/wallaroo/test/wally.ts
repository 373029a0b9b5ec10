/**
 * The programs of WallarooLabs/wally that read what its workers send, for conformance tests: from a
 * checkout that the environment variable WALLY names, run by `elixir` and `python3` of the path.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const CHECKOUT = process.env.WALLY ?? ''
const DECODER = join(
  CHECKOUT,
  'monitoring_hub/apps/monitoring_hub_utils/lib/monitoring_hub_utils/serializers/hub_protocol.ex',
)
const PARSER = join(CHECKOUT, 'testing/tools/integration/metrics_parser.py')
const OURS = fileURLToPath(new URL('../../../../test/conformance/wallaroo/', import.meta.url))

/** Why the Metrics UI's decoder cannot run here; undefined when it can. */
export const whyNoDecoder = whyNot(DECODER, 'elixir', '--version')
/** Why the integration tests' reader cannot run here; undefined when it can. */
export const whyNoParser = whyNot(PARSER, 'python3', '--version')

function whyNot(file: string, program: string, ask: string): string | undefined {
  if (CHECKOUT === '') return 'WALLY names no checkout of WallarooLabs/wally'
  if (!existsSync(file)) return `${file} is not there`
  const { status } = spawnSync(program, [ask], { stdio: 'ignore' })
  return status === 0 ? undefined : `no ${program} in the path`
}

/** One frame as the decoder gave it: number of its connection, type, fields. */
export interface Decoded {
  readonly connection: number
  readonly type: string
  readonly fields: readonly string[]
}

/** A listener that is nothing but the original's decoder, in a process of its own. */
export class ElixirListener {
  readonly port: number
  readonly decoded: Decoded[] = []
  readonly #process: ChildProcess
  #wake: () => void = () => {}

  private constructor(child: ChildProcess, lines: Interface, port: number) {
    this.#process = child
    this.port = port
    lines.on('line', (line) => {
      const [connection, type, ...fields] = line.split('\t')
      this.decoded.push({ connection: Number(connection), type: type!, fields })
      this.#wake()
    })
  }

  static async start(): Promise<ElixirListener> {
    const child = spawn('elixir', ['-r', DECODER, join(OURS, 'listen.exs')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, LANG: 'C.UTF-8', ELIXIR_ERL_OPTIONS: '+fnu' },
    })
    const lines = createInterface({ input: child.stdout! })
    const [line] = (await once(lines, 'line')) as [string]
    return new ElixirListener(child, lines, Number(line.split('\t')[1]))
  }

  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Closes the connection at hand. */
  drop(): void {
    this.#process.stdin!.write('drop\n')
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    this.#process.stdin!.end()
    await once(this.#process, 'exit')
  }
}

export function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}

/** The records of a stream, as the integration tests' reader has them. */
export function parseInPython(stream: Uint8Array): Record<string, unknown>[] {
  const answer = execFileSync('python3', [join(OURS, 'read.py'), dirname(PARSER)], {
    input: stream,
    encoding: 'utf8',
  })
  return answer
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
