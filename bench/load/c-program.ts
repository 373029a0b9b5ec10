/** Programs of the bench in C, compiled where there is a compiler: limits of a machine, senders. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export interface CProgram {
  readonly path: string
  /** Folder of its own, for its files too; gone when this process ends. */
  readonly folder: string
}

/** Compiles a source; a text says why that can't be. */
export function compile(source: string): CProgram | string {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-c-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, basename(source, '.c'))
  try {
    const options = ['-O2', '-Wall', '-o', path, source]
    execFileSync('cc', options, { stdio: ['ignore', 'ignore', 'inherit'] })
  } catch (error) {
    return `cc did not work: ${(error as Error).message.split('\n')[0]}`
  }
  return { path, folder }
}

/** Version of the compiler: the last word of `cc (Debian 12.2.0-14+deb12u1) 12.2.0`. */
export function compilerVersion(): string {
  const [line] = execFileSync('cc', ['--version'], { encoding: 'utf8' }).split('\n')
  return line!.split(' ').at(-1)!
}

/** Runs it to its end. @throws when it fails */
export async function runToEnd({ path }: CProgram, args: readonly string[]): Promise<void> {
  const child = spawn(path, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${basename(path)} ${args.join(' ')}: ended with ${code}`)
}
