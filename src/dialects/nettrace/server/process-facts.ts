/** Facts that this process tells of itself when a tool asks (§3). */
import { basename, extname } from 'node:path'
import { toHex } from '../../../model/index.ts'
import type { ProcessFacts } from '../codec/ipc/messages.ts'

/** Part of a command line that is told, UTF-16 units: a message has room for 65,535 bytes. */
const COMMAND_LINE_UNITS_MAX = 8192
const TEXT_UNITS_MAX = 512

const SYSTEMS: Readonly<Record<string, readonly [name: string, identifier: string]>> = {
  linux: ['Linux', 'linux'],
  darwin: ['macOS', 'osx'],
}
const PROCESSORS: Readonly<Record<string, readonly [name: string, identifier: string]>> = {
  x64: ['x64', 'x64'],
  ia32: ['x86', 'x86'],
  arm: ['arm32', 'arm'],
  arm64: ['arm64', 'arm64'],
}

/** Facts of a process, with those that only the newest reply has. */
export type WholeFacts = Required<Omit<ProcessFacts, 'version'>>

/** @param clrVersion of the runtime that tools are to see, for example 8.0.0 */
export function readProcessFacts(clrVersion: string): WholeFacts {
  const [os, system] = SYSTEMS[process.platform] ?? ['Unknown', process.platform]
  const [arch, processor] = PROCESSORS[process.arch] ?? ['Unknown', process.arch]
  const { argv, execPath, execArgv, pid } = process
  const words = [execPath, ...execArgv, ...argv.slice(1)]
  const script = argv[1] ?? execPath
  return {
    pid: String(pid),
    cookie: toHex(process.getBuiltinModule('node:crypto').randomBytes(16)),
    commandLine: sayable(words.map(quoted).join(' '), COMMAND_LINE_UNITS_MAX),
    ...{ os, arch },
    entryAssembly: sayable(basename(script, extname(script)), TEXT_UNITS_MAX),
    clrVersion: sayable(clrVersion, TEXT_UNITS_MAX),
    runtimeIdentifier: `${system}-${processor}`,
  }
}

function quoted(word: string): string {
  return /[\s"]/.test(word) || word === '' ? `"${word.replaceAll('"', '\\"')}"` : word
}

/** Cuts a text, with no surrogate pair cut, and without the unit that ends texts. */
function sayable(text: string, unitsMax: number): string {
  const cut = text.replaceAll('\0', ' ').slice(0, unitsMax)
  return text.length > unitsMax && !cut.isWellFormed() ? cut.slice(0, -1) : cut
}
