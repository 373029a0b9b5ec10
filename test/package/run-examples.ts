/**
 * node run-examples.ts FILE...
 *
 * Runs examples one after the other in this process, each a module beside this one. A comment
 * behind `console.log(…)` is what that prints, `…` being any text. Prints a line for each fault;
 * what an example leaves open (a server, a timer) ends with the process.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { formatWithOptions } from 'node:util'
import { startHub } from 'pentameter/hub'

/** Longest wait for what an example prints after its last statement. */
const PRINT_WAIT_MS = 10_000
const LINE = /^(.*?)\bconsole\.log\((.*) \/\/ (.+)$/gm

const faults: string[] = []
let current = ''
/** What all examples print, and by its place what the present one has yet to print. */
const texts: string[] = []
const awaited = new Set<number>()
let printed = (): void => {}

/** Called by examples in place of `console.log`. */
function prints(place: number): (...values: unknown[]) => void {
  return (...values) => {
    const expected = texts[place]!
    const text = formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, ...values)
    const actual = text.trimEnd()
    const pattern = expected.split('…').map((part) => RegExp.escape(part))
    if (!RegExp(`^${pattern.join('.*')}$`, 's').test(actual)) {
      faults.push(`${current}: prints ${actual}, not ${expected}`)
    }
    awaited.delete(place)
    if (awaited.size === 0) printed()
  }
}

async function run(file: string): Promise<void> {
  current = file
  const path = new URL(file, import.meta.url)
  let code = readFileSync(path, 'utf8')
  awaited.clear()
  code = code.replace(LINE, (_, before: string, rest: string, expected: string) => {
    const place = texts.push(expected) - 1
    awaited.add(place)
    return `${before}prints(${place})(${rest}`
  })
  for (const [port, free] of ports) code = code.replaceAll(port, free)
  writeFileSync(path, code)
  const { promise, resolve } = Promise.withResolvers<void>()
  printed = resolve
  await import(path.href)
  if (awaited.size === 0) return
  const timer = setTimeout(resolve, PRINT_WAIT_MS)
  await promise
  clearTimeout(timer)
  for (const place of awaited) faults.push(`${file}: never prints ${texts[place]}`)
}

const hub = await startHub({ config: { httpPort: 0, textPort: 0, streamPort: 0 } })
const { http, text, stream } = hub.addresses
/** Ports as examples name them: of this hub, and any free one for a server of the example. */
const ports = [
  ['127.0.0.1:4000', `127.0.0.1:${http?.port}`],
  ['port: 8125', `port: ${text?.port}`],
  ['port: 5001', `port: ${stream?.port}`],
  ['listen(8080)', 'listen(0)'],
] as const

Object.assign(globalThis, { prints })
console.log = () => {}
process.on('uncaughtException', (error) => faults.push(`${current}: ${error.stack}`))
for (const file of process.argv.slice(2)) {
  try {
    await run(file)
  } catch (error) {
    faults.push(`${file}: ${error instanceof Error ? error.stack : error}`)
  }
}
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exit()
