/** `pentameter proxy-wasm inspect`: what a filter wants and offers, without running it. */

import type { Command } from 'commander'
import { escapeUnseen } from '../../../model/text/unseen.ts'
import { tableLines } from '../../../terminal/index.ts'
import { CALLBACKS, type HostMode } from '../host/abi.ts'
import { unservedAnswer } from '../host/imports/index.ts'
import { readShape } from '../host/module/binary.ts'
import { FilterRefusedError } from '../host/module/module.ts'
import { readWasmFile, type WasmFile } from './wasm-file.ts'

const EXAMPLES = `
Exit code 0 when the file has what a filter needs, 1 when it has not. Whether it starts is its own
decision, too: run shows that. An import that is not served answers the number behind it.

Examples:
  $ pentameter proxy-wasm inspect auth.wasm
  $ pentameter proxy-wasm inspect auth.wasm --json | jq .unknownImports`

const HOSTS: readonly HostMode[] = ['spec', 'nginx', 'envoy']
const PAGE_KIB = 64
const ALLOCATORS = ['proxy_on_memory_allocate', 'malloc']
const STARTS = ['_initialize', '_start', 'main']

/** Inspection that `--json` prints. */
export interface Inspection {
  readonly path: string
  readonly bytes: number
  readonly abi: string
  readonly allocators: readonly string[]
  readonly starts: readonly string[]
  /** Callbacks that the host makes. */
  readonly callbacks: readonly string[]
  /** Callbacks that it never makes. */
  readonly idleCallbacks: readonly string[]
  readonly otherExports: readonly string[]
  /** Pages of 64 KiB; the most that the module itself allows, if it says. */
  readonly memory: { readonly pages: number; readonly pagesMost: number | null }
  readonly servedImports: readonly string[]
  readonly unknownImports: readonly string[]
  /** Reason for a refusal by host mode; null where there is none. */
  readonly hosts: Readonly<Record<HostMode, string | null>>
}

export function addInspect(group: Command): void {
  group
    .command('inspect')
    .description('list what a filter imports and exports, without running it')
    .argument('<file>', 'the .wasm or .wat file')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, { json }: { json?: boolean }) => {
      const inspection = inspect(await readWasmFile(path))
      const text = json ? `${JSON.stringify(inspection, null, 2)}\n` : inspectionText(inspection)
      process.stdout.write(text)
    })
}

function inspect({ path, bytes, module }: WasmFile): Inspection {
  const functions = module.exports.filter(({ kind }) => kind === 'function').map((e) => e.name)
  const isCallback = (name: string): boolean =>
    name.startsWith('proxy_on_') && !ALLOCATORS.includes(name)
  const isMade = (name: string): boolean => CALLBACKS.some((each) => each === name)
  const isOther = (name: string): boolean =>
    !isCallback(name) &&
    !name.startsWith('proxy_abi_version_') &&
    ![...ALLOCATORS, ...STARTS].includes(name)
  const { ownMemories, importedMemories } = readShape(bytes)
  const memory = ownMemories[0] ?? importedMemories[0]
  const imports = module.imports
    .filter(({ kind }) => kind === 'function')
    .map((entry) => `${entry.module}.${entry.name}`)
  return {
    path,
    bytes: bytes.length,
    abi: module.abi,
    allocators: ALLOCATORS.filter((name) => functions.includes(name)),
    starts: STARTS.filter((name) => functions.includes(name)),
    callbacks: functions.filter((name) => isCallback(name) && isMade(name)),
    idleCallbacks: functions.filter((name) => isCallback(name) && !isMade(name)),
    otherExports: functions.filter(isOther),
    memory: { pages: memory?.least ?? 0, pagesMost: memory?.most ?? null },
    servedImports: imports.filter((name) => !module.unknownImports.includes(name)),
    unknownImports: module.unknownImports,
    hosts: Object.fromEntries(
      HOSTS.map((host) => [host, refusalOf(() => module.checkFor(host))]),
    ) as Record<HostMode, string | null>,
  }
}

function refusalOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof FilterRefusedError) return error.message
    throw error
  }
}

function inspectionText(inspection: Inspection): string {
  const { path, bytes, abi, memory, hosts } = inspection
  const { allocators, starts, callbacks, idleCallbacks, otherExports } = inspection
  const { servedImports, unknownImports } = inspection
  const most = memory.pagesMost === null ? '' : `, at most ${memory.pagesMost}`
  const rows: [string, readonly string[]][] = [
    ['file', [`${path}, ${(bytes / 1024).toFixed(1)} KiB`]],
    ['ABI', [abi]],
    [
      'memory',
      [`${memory.pages} ${memory.pages === 1 ? 'page' : 'pages'} of ${PAGE_KIB} KiB${most}`],
    ],
    ['allocator', allocators],
    ['starts with', orNone(starts)],
    ['callbacks', orNone(callbacks)],
    ['never called', orNone(idleCallbacks)],
    ['other exports', orNone(otherExports)],
    ['imports served', orNone(servedImports)],
    ['imports not served', orNone(unknownImports.map(withAnswer))],
    ['hosts', HOSTS.map((host) => `${host}: ${hosts[host] ?? 'nothing is missing'}`)],
  ]
  const cells = rows.flatMap(([title, lines]) =>
    lines.map((line, i) => [i === 0 ? title : '', escapeUnseen(line)]),
  )
  return tableLines(cells)
    .map((line) => `${line}\n`)
    .join('')
}

/** Writes `MODULE.NAME (answers 12)`; a module’s name may hold dots, too. */
function withAnswer(name: string): string {
  const dot = name.indexOf('.')
  const answer = unservedAnswer(name.slice(0, dot), name.slice(dot + 1))
  return `${name} (answers ${answer})`
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['none'] : lines
}
