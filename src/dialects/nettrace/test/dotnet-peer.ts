/**
 * The peer of .NET in conformance/dotnet, built once for each test process into a folder that goes
 * with it: as a process whose counters have known values, and as a tool on the stock libraries.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROJECT = fileURLToPath(
  new URL('../../../../conformance/dotnet/peer.csproj', import.meta.url),
)
/** Version of the SDK that the project is for. */
const SDK_MAJOR = 10
const BUILD_LIMIT_MS = 240_000
const ENVIRONMENT = { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' }

/** Why the test cannot run here; undefined when it can. */
export const whyNoDotnet: string | undefined = findReason()

function findReason(): string | undefined {
  const what = `install the .NET SDK ${SDK_MAJOR}, so that dotnet is in the path`
  try {
    const options = { encoding: 'utf8', env: { ...process.env, ...ENVIRONMENT } } as const
    const version = execFileSync('dotnet', ['--version'], { ...options, stdio: 'pipe' }).trim()
    return Number.parseInt(version, 10) >= SDK_MAJOR ? undefined : `SDK ${version}: ${what}`
  } catch {
    return `there is no .NET SDK: ${what}`
  }
}

let built: Promise<string> | undefined

/** Builds the program. @returns its path */
export function buildPeer(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-dotnet-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // other users run it, too
  chmodSync(folder, 0o755)
  const quiet = ['-v', 'quiet', '--disable-build-servers']
  const flags = ['-c', 'Release', ...quiet, '--artifacts-path', folder]
  await promisify(execFile)('dotnet', ['build', PROJECT, ...flags, '-p:RestoreLockedMode=true'], {
    env: { ...process.env, ...ENVIRONMENT },
    timeout: BUILD_LIMIT_MS,
  })
  return join(folder, 'bin', 'peer', 'release', 'peer')
}

/** One line of the program. */
export type PeerLine = Readonly<Record<string, unknown>>

interface PeerOptions {
  /** Folder of the sockets, TMPDIR. */
  readonly folder: string
  /** User that runs it; this process' unless given. */
  readonly uid?: number
}

/** A running peer, ended with its test. */
export class DotnetPeer {
  readonly lines: PeerLine[] = []
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  #errors = ''
  #isOver = false

  private constructor(child: ChildProcess) {
    this.#child = child
    createInterface({ input: child.stdout! }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as PeerLine)
      this.#wake()
    })
    child.stderr!.on('data', (text: Buffer) => {
      this.#errors += text
    })
    child.stdin!.on('error', () => {})
    child.once('close', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  static async start(
    t: TestContext,
    { folder, uid }: PeerOptions,
    ...args: readonly string[]
  ): Promise<DotnetPeer> {
    const env = { ...process.env, ...ENVIRONMENT, TMPDIR: folder }
    const user = uid === undefined ? {} : { uid, gid: uid }
    const child = spawn(await buildPeer(), args, { env, stdio: 'pipe', ...user })
    t.after(() => child.kill('SIGKILL'))
    return new DotnetPeer(child)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Writes a line to its stdin. */
  tell(line: string): void {
    this.#child.stdin!.write(`${line}\n`)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Waits until its lines say so; rejects when it ends before, with what it says of it. */
  async until(isSo: (lines: readonly PeerLine[]) => boolean): Promise<void> {
    while (!isSo(this.lines)) {
      if (this.#isOver) throw new Error(`the peer has ended: ${this.#errors}`)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** Waits for the first line that has this member. */
  async line(member: string): Promise<PeerLine> {
    const has = (line: PeerLine): boolean => member in line
    await this.until((lines) => lines.some(has))
    return this.lines.find(has)!
  }

  /** Payloads of a counter so far, as the stock reader gives them. */
  payloads(name: string): PeerLine[] {
    return this.lines
      .map(({ payload }) => payload as PeerLine | undefined)
      .filter((payload) => payload !== undefined)
      .filter(({ Name }) => Name === name)
  }

  /** Sum of a field over the payloads of a counter so far. */
  sum(name: string, field: string): number {
    return this.payloads(name).reduce((sum, payload) => sum + Number(payload[field]), 0)
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}
