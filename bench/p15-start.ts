/** P15: how fast the built package starts, and what memory an idle hub takes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import {
  type Answer,
  atMost,
  figureOf,
  interleave,
  limitOf,
  type Rounds,
  ratioOf,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'

const WARM_UPS = 2
const START_ROUNDS = 15
const HUB_ROUNDS = 7
const VERSION_WANTED = 1.5
const READY_MS_WANTED = 500
/** First picture of `top` on a pseudo-terminal, ms. */
const SCREEN_MS_WANTED = 300
const SCREEN_ROUNDS = 9
const RSS_MB_WANTED = 90
/** Age of the hub whose memory is read, ms. */
const IDLE_MS = 5000
/** Whether the system tells of other processes, as Linux does. */
const hasProc = existsSync('/proc/self/status')
const ROOT = join(import.meta.dirname, '..')
const PORTS = ['--http-port', '0', '--text-port', '0', '--stream-port', '0']

await ask({
  name: 'P15',
  asks: 'How fast does the package start, and what memory does an idle hub take?',
  data: 'bin, dist and package.json in a folder of their own, as packed',
  method: [
    'commands: from spawn to exit; serve: from spawn to its start report and a 200 of /healthz',
    'top: from spawn to its first picture on a pseudo-terminal of util-linux script, 80 x 24',
    'processor time: of all threads of the hub until then, by /proc',
    'compiled code is kept in caches of their own, filled by the rounds for warming up',
    `memory: VmRSS of the hub ${IDLE_MS / 1000} s after that, with default ingest threads`,
  ],
  unit: 'ms',
  remarks: [`${availableParallelism()} cores, so one ingest thread less, but one at least`],
  measure: () => withPackage(measure),
})

async function measure(program: string, env: NodeJS.ProcessEnv): Promise<Answer> {
  const run = (title: string, args: readonly string[]) => ({
    title,
    round() {
      const begin = performance.now()
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
      return performance.now() - begin
    },
  })
  const contenders = [
    run('node -e 0', ['-e', '0']),
    run('pentameter --version', [program, '--version']),
    run('pentameter --help', [program, '--help']),
    run('pentameter serve --help', [program, 'serve', '--help']),
  ]
  const [node, version, ...helps] = await interleave(contenders, WARM_UPS, START_ROUNDS)
  const readyMs: number[] = []
  const rssMbs: number[] = []
  const cpuMs: number[] = []
  const bareMbs: number[] = []
  for (let round = -WARM_UPS; round < HUB_ROUNDS; round++) {
    const hub = await startHub(program, env)
    if (round >= 0) {
      readyMs.push(hub.readyMs)
      if (hasProc) cpuMs.push(processorMs(hub.child))
      await setTimeout(IDLE_MS)
      if (hasProc) {
        rssMbs.push(rssMb(hub.child))
        bareMbs.push(bareNodeMb(env))
      }
    }
    hub.child.kill('SIGTERM')
    await once(hub.child, 'exit')
  }
  const ready: Rounds = { title: 'serve until it is ready', figures: readyMs }
  const memory: Rounds = { title: 'idle hub', figures: rssMbs, unit: 'MB' }
  const cpu: Rounds = { title: 'serve until it is ready, processor time', figures: cpuMs }
  const screen = await screenRounds(program, env)
  const bare: Rounds = { title: 'node -e 0, memory', figures: bareMbs, unit: 'MB' }
  return {
    warmUps: WARM_UPS,
    rounds: START_ROUNDS,
    figures: [node!, version!, ...helps, ...screen.slice(1), ...(hasProc ? [cpu, bare] : [])].map(
      figureOf,
    ),
    verdicts: [
      ratioOf(version!, node!, atMost(VERSION_WANTED)),
      limitOf(ready, atMost(READY_MS_WANTED)),
      ...screen.slice(0, 1).map((each) => limitOf(each, atMost(SCREEN_MS_WANTED))),
      ...(hasProc ? [limitOf(memory, atMost(RSS_MB_WANTED))] : []),
    ],
    means: [`A hub is ready ${figureText(spreadOf(readyMs).median)} ms after it is started`],
    skipped: hasProc ? [] : [{ title: 'memory and processor time', reason: 'no /proc here' }],
  }
}

/** Copies what the package ships and calls back with its program, and caches of its own. */
async function withPackage<T>(
  use: (program: string, env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-start-'))
  try {
    for (const path of ['bin', 'dist', 'package.json']) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    }
    const { NODE_COMPILE_CACHE: _other, ...env } = process.env
    const caches = join(folder, 'caches')
    return await use(join(folder, 'bin/pentameter.js'), {
      ...{ ...env, XDG_CACHE_HOME: caches, PENTAMETER_HISTORY: join(caches, 'history') },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface StartedHub {
  readonly child: ChildProcess
  /** Port of its page. */
  readonly port: number
  readonly readyMs: number
}

async function startHub(program: string, env: NodeJS.ProcessEnv): Promise<StartedHub> {
  const begin = performance.now()
  const args = [program, 'serve', '--log', 'json', ...PORTS]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  const { host, port } = JSON.parse(line).listeners.http
  const { status } = await fetch(`http://${host}:${port}/healthz`)
  if (status !== 200) throw new Error(`/healthz answers ${status}`)
  return { child, port, readyMs: performance.now() - begin }
}

/**
 * Measures the time until `top` has drawn, and until a bare Node has written a word there; none
 * where there is no script to make a terminal.
 */
async function screenRounds(program: string, env: NodeJS.ProcessEnv): Promise<Rounds[]> {
  if (spawnSync('script', ['--version']).error !== undefined) return []
  const hub = await startHub(program, env)
  const screens: number[] = []
  const bare: number[] = []
  for (let round = -WARM_UPS; round < SCREEN_ROUNDS; round++) {
    const screen = await firstPicture([program, 'top', `127.0.0.1:${hub.port}`], /Pentameter/, env)
    const word = await firstPicture(['-e', 'console.log("word")'], /word/, env)
    if (round < 0) continue
    screens.push(screen)
    bare.push(word)
  }
  hub.child.kill('SIGTERM')
  await once(hub.child, 'exit')
  return [
    { title: 'top until it has drawn', figures: screens },
    { title: 'node -e on a pseudo-terminal', figures: bare },
  ]
}

function firstPicture(
  args: readonly string[],
  wanted: RegExp,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const begin = performance.now()
  const command = [process.execPath, ...args].map((arg) => `'${arg}'`).join(' ')
  const child = spawn('script', ['-qfec', `stty cols 80 rows 24; ${command}`, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let out = ''
  let tookMs = 0
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
    if (tookMs > 0 || !wanted.test(out)) return
    tookMs = performance.now() - begin
    child.stdin.write('q')
  })
  return new Promise((resolve) => child.on('close', () => resolve(tookMs)))
}

/** Reads what all threads of a process have used of the processor so far. */
function processorMs({ pid }: ChildProcess): number {
  const texts = globSync(`/proc/${pid}/task/*/schedstat`).map((path) => readFileSync(path, 'utf8'))
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6
}

function bareNodeMb(env: NodeJS.ProcessEnv): number {
  const tell = "console.log(require('node:fs').readFileSync('/proc/self/status', 'utf8'))"
  return mbOf(spawnSync(process.execPath, ['-e', tell], { env, encoding: 'utf8' }).stdout)
}

function rssMb({ pid }: ChildProcess): number {
  return mbOf(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

function mbOf(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024
}
