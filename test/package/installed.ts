/** The package as a user has it: built, packed by npm, and unpacked beside programs of theirs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from '../../tools/build.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')

export interface Installed {
  /** Everything; to be removed at the end. */
  readonly folder: string
  /** A project with the package and nothing else in its node_modules. */
  readonly app: string
  /** The unpacked package. */
  readonly package: string
  /** Paths in the tarball. */
  readonly files: readonly string[]
}

/** Builds, packs and installs; neither the checkout's dist nor the network is touched. */
export async function packAndInstall(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-package-'))
  const stage = join(folder, 'stage')
  for (const path of ['package.json', 'bin', 'LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md']) {
    cpSync(join(ROOT, path), join(stage, path), { recursive: true })
  }
  await buildPackage(join(stage, 'dist'))
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent'], {
    cwd: stage,
    encoding: 'utf8',
  })
  const app = join(folder, 'app')
  const target = join(app, 'node_modules/pentameter')
  mkdirSync(target, { recursive: true })
  const tarball = join(stage, packed.trim().split('\n').at(-1)!)
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  const files = globSync('**', { cwd: target, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
  return { folder, app, package: target, files }
}

/** Adds what a program in TypeScript needs beside the package: the types of Node. */
export function addNodeTypes({ app }: Installed): void {
  for (const name of ['@types/node', 'undici-types']) {
    const place = join(app, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), place)
  }
}

/** Writes the files of a project below the app. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** What a strict user asks of the compiler; libraries are checked, too. */
const STRICT = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
}

/** Type-checks files of a folder; returns what the compiler says, nothing if it is content. */
export function typeCheck(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const config = join(folder, 'tsconfig.json')
  const compilerOptions = { ...STRICT, ...options }
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  const { stdout, stderr } = spawnSync(process.execPath, [COMPILER, '-p', config], {
    cwd: folder,
    encoding: 'utf8',
  })
  return stdout + stderr
}

/** Runs a program of the app; returns what it prints, errors included. */
export function runProgram(folder: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, NODE_PATH: '', NODE_OPTIONS: '' },
  })
  return stdout + stderr
}
