/**
 * The test filters, compiled from their AssemblyScript sources when a test first wants them: `raw`
 * and `messages` without an SDK by today's compiler, `sdk` with @solo-io/proxy-runtime by the last
 * compiler that takes it. What was compiled is kept in the system's temporary folder under a hash
 * of the source.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type FilterName = 'raw' | 'messages' | 'sdk'

/** By name: the compiler's program and what it is told, but for the output. */
const COMPILERS: Readonly<Record<FilterName, readonly string[]>> = {
  raw: today('raw'),
  messages: today('messages'),
  sdk: [
    'node_modules/assemblyscript-0.17/bin/asc',
    'test/filters/assembly/sdk.ts',
    ...['--use', 'abort=abort_proc_exit', '--optimize'],
  ],
}

function today(name: string): string[] {
  const source = `test/filters/assembly/${name}`
  return [
    'node_modules/assemblyscript/bin/asc.js',
    `${source}.ts`,
    ...['-O3', '--runtime', 'incremental'],
    ...['--use', `abort=${source}/abort`],
  ]
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(tmpdir(), 'pentameter-test-filters')

/** Bytes of a test filter. @throws {Error} with the compiler's output when it does not compile */
export async function compileFilter(name: FilterName): Promise<Uint8Array> {
  return readFile(await filterFile(name))
}

/** Path of a test filter's .wasm file. */
export async function filterFile(name: FilterName): Promise<string> {
  const source = await readFile(join(ROOT, 'test/filters/assembly', `${name}.ts`))
  const key = createHash('sha256').update(source).update(COMPILERS[name].join(' ')).digest('hex')
  const path = join(FOLDER, `${name}-${key.slice(0, 16)}.wasm`)
  const isKept = await readFile(path).then(
    () => true,
    () => false,
  )
  if (!isKept) await compile(name, path)
  return path
}

/** Renamed when whole: other tests may be at the same. */
async function compile(name: FilterName, path: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const part = `${path}.${process.pid}.wasm`
  const output = name === 'sdk' ? '-b' : '-o'
  const [program, ...options] = COMPILERS[name]
  const args = [join(ROOT, program!), ...options, output, part]
  await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  await rename(part, path)
}
