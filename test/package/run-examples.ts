/**
 * node run-examples.ts PORTS FILE...
 *
 * Runs examples one after the other in this process, each a module beside this one, and prints what
 * became of them as JSON. PORTS are those of a hub, `[{"name":"http","number":4000}]`. A comment
 * behind `console.log(…)` is what that prints. What an example leaves open (a server, a timer) ends
 * with the process.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { formatWithOptions } from 'node:util'
import { startHub } from 'pentameter/hub'

export interface ExampleResults {
  /** What was thrown, by file. */
  readonly errors: readonly string[]
  readonly prints: readonly Print[]
}

interface Print {
  readonly file: string
  readonly expected: string
  /** Undefined where nothing was printed. */
  actual?: string
}

/** Longest wait for what an example prints after its last statement. */
const PRINT_WAIT_MS = 10_000
const LINE = /^(.*?)\bconsole\.log\((.*) \/\/ (.+)$/gm

const errors: string[] = []
/** Warnings as Node prints them, but for one: there is no hub that an example could push to. */
const printers = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'MetricsWarning') for (const print of printers) print(warning)
})

const prints: Print[] = []
let current = ''
let onPrint = (): void => {}

/** Called by examples in place of `console.log`. */
function print(place: number): (...values: unknown[]) => void {
  return (...values) => {
    const text = formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, ...values)
    prints[place]!.actual = text
    onPrint()
  }
}

async function run(file: string): Promise<void> {
  current = file
  const path = new URL(file, import.meta.url)
  const first = prints.length
  let code = readFileSync(path, 'utf8').replace(LINE, (_, before, rest, expected) => {
    return `${before}print(${prints.push({ file, expected }) - 1})(${rest}`
  })
  for (const [port, free] of ports) code = code.replaceAll(port, free)
  writeFileSync(path, code)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, PRINT_WAIT_MS)
  onPrint = () => {
    if (prints.slice(first).every(({ actual }) => actual !== undefined)) resolve()
  }
  await import(path.href)
  onPrint()
  await promise
  clearTimeout(timer)
}

const [listed = '[]', ...files] = process.argv.slice(2)
const defaults = JSON.parse(listed) as readonly { readonly name: string; readonly number: number }[]
const free = defaults.map(({ name }) => [`${name}Port`, 0] as const)
const hub = await startHub({ config: Object.fromEntries(free) })
/** Ports as examples name them: of this hub, and any free one for a server of the example. */
const ports = [
  ...defaults.map(({ name, number }) => {
    const before = name === 'http' ? '127.0.0.1:' : 'port: '
    return [`${before}${number}`, `${before}${hub.addresses[name]?.port}`] as const
  }),
  ['listen(8080)', 'listen(0)'],
] as const

Object.assign(globalThis, { print })
console.log = () => {}
process.on('uncaughtException', (error) => errors.push(`${current}: ${error.stack}`))
for (const file of files) {
  await run(file).catch((error) => errors.push(`${file}: ${error.stack}`))
}
const results: ExampleResults = { errors, prints }
process.stdout.write(JSON.stringify(results), () => process.exit())
