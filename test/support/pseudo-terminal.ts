/** Commands on a pseudo-terminal of their own, which util-linux' `script` makes. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import type { TestTerminal } from './test-terminal.ts'

const hasScript =
  process.platform === 'linux' && spawnSync('script', ['--version']).error === undefined

/** Why such tests can't run here; printed with every one of them. */
export const skip = hasScript ? false : 'there is no script of util-linux to make a terminal'

type Child = ChildProcessByStdio<Writable, Readable, null>

interface AtTerminal {
  readonly child: Child
  /** Gives all that was written to the terminal so far. */
  written(): string
}

/** Runs a line of sh there, and shows what it writes. @param onWritten called after each piece */
export function spawnAtTerminal(
  t: TestContext,
  line: string,
  terminal: TestTerminal,
  onWritten: () => void,
  env: NodeJS.ProcessEnv = {},
): AtTerminal {
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk
    terminal.write(chunk.toString())
    onWritten()
  })
  return { child, written: () => written }
}

interface Visit {
  readonly terminal: TestTerminal
  /** Tells whether what is waited for is there. */
  isSeen(written: string): boolean | Promise<boolean>
  /** Called once it is. */
  act(child: Child): void
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a line of sh there to its end, and acts once. @returns all that was written, the screen */
export async function runAtTerminal(
  t: TestContext,
  line: string,
  { terminal, isSeen, act, env }: Visit,
) {
  let hasActed = false
  const onWritten = async (): Promise<void> => {
    if (hasActed || !(await isSeen(written())) || hasActed) return
    hasActed = true
    act(child)
  }
  const { child, written } = spawnAtTerminal(t, line, terminal, onWritten, env)
  await once(child, 'close')
  return { terminal, written: written(), screen: await terminal.text() }
}
