/** Runs the marked blocks of one document in their order, in one folder, against one hub. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type HubProcess,
  type Listeners,
  PROGRAM,
  startHubProcess,
} from '../support/hub/hub-process.ts'
import { PORTS } from '../support/ports.ts'
import type { CodeBlock } from './blocks.ts'

export interface BlockResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface BlockRun {
  readonly block: CodeBlock
  readonly result: BlockResult
  /** The printed output that follows the block. */
  readonly output: CodeBlock | undefined
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Makes names of the package its sources. */
const SOURCES = new URL('../support/package-sources.ts', import.meta.url).href
const BLOCK_TIMEOUT_MS = 30_000

/**
 * Shells that commands for a reader to try have to work in, with what runs a text in each; zsh with
 * an option of many set-ups, by which `^` and `#` are patterns.
 */
export const SHELLS = {
  bash: ['--norc', '-euo', 'pipefail', '-c'],
  zsh: ['-f', '-o', 'extendedglob', '-euo', 'pipefail', '-c'],
  fish: ['--no-config', '-c'],
  pwsh: ['-NoProfile', '-Command'],
} as const

export type Shell = keyof typeof SHELLS

/** @param shell of the blocks that are for one */
export async function runDocument(
  blocks: readonly CodeBlock[],
  shell: Shell = 'bash',
): Promise<BlockRun[]> {
  const folder = prepareFolder()
  let hub: HubProcess | undefined
  try {
    const runs: BlockRun[] = []
    for (const [i, block] of blocks.entries()) {
      if (!block.words.includes('run')) continue
      hub ??= await startHubProcess('serve')
      const code = adapt(block.code, hub.listeners)
      const result =
        block.language === 'ts'
          ? await runTs(code, folder, i)
          : await run(shell, [...SHELLS[shell], code], folder)
      const next = blocks[i + 1]
      runs.push({ block, result, output: next?.words.includes('output') ? next : undefined })
    }
    return runs
  } finally {
    await hub?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** An empty folder with the program on its path and the dependencies of the project. */
function prepareFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-docs-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  mkdirSync(join(folder, '.bin'))
  symlinkSync(PROGRAM, join(folder, '.bin/pentameter'))
  return folder
}

/**
 * Default ports become those of the hub, also where a message goes without an address. `npx` is
 * what a checkout needs to find the program; here it is on the path.
 */
function adapt(code: string, listeners: Listeners): string {
  let adapted = code
  for (const { name, number } of PORTS) {
    const port = String(listeners[name]!.port)
    const place = new RegExp(`\\b(127\\.0\\.0\\.1|localhost)([:/ ])${number}\\b`, 'g')
    adapted = adapted.replace(place, `127.0.0.1$2${port}`)
  }
  const home = `statshero+tcp://127.0.0.1:${listeners.text.port}`
  return adapted
    .replaceAll("npx pentameter send '", `pentameter send --to ${home} '`)
    .replaceAll('npx pentameter', 'pentameter')
}

function runTs(code: string, folder: string, index: number): Promise<BlockResult> {
  const file = join(folder, `block-${index}.ts`)
  writeFileSync(file, code)
  return run(process.execPath, ['--import', SOURCES, file], folder)
}

function run(command: string, args: readonly string[], cwd: string): Promise<BlockResult> {
  const path = [join(cwd, '.bin'), dirname(process.execPath), process.env.PATH ?? '']
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: path.join(delimiter), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: BLOCK_TIMEOUT_MS,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, stdout, stderr }))
  })
}
