/**
 * node test/smoke.ts
 *
 * Starts the demo as a user does, on free ports: it must become ready, serve the page and /metrics
 * with data of its own traffic, and end with 0 on SIGTERM. Prints one line per step and a last line
 * `N passed, M failed`.
 */
import { type HubProcess, startHubProcess } from './support/hub/hub-process.ts'

const DATA_TRIES = 50
const DATA_PAUSE_MS = 200

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`)
  return text
}

async function checkPage(base: string): Promise<string> {
  const page = await fetchText(`${base}/`)
  const script = /<script[^>]+src="([^"]+)"/.exec(page)?.[1]
  if (script === undefined) throw new Error(`the page names no script: ${page.slice(0, 200)}`)
  const code = await fetchText(new URL(script, `${base}/`).href)
  return `page of ${page.length} characters, its script of ${code.length}`
}

/** The traffic needs a moment: asks until a series of the demo's shop is there. */
async function checkMetrics(base: string): Promise<string> {
  for (let left = DATA_TRIES; ; left--) {
    const text = await fetchText(`${base}/metrics`)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const own = samples.filter((line) => !line.startsWith('pentameter_'))
    if (own.length > 0) return `${samples.length} samples, ${own.length} of the demo's traffic`
    if (left === 0) throw new Error(`no sample of the demo's traffic:\n${text.slice(0, 1000)}`)
    await new Promise((resolve) => setTimeout(resolve, DATA_PAUSE_MS))
  }
}

async function checkStop(hub: HubProcess): Promise<string> {
  const { code, signal, log } = await hub.stop()
  if (code !== 0) throw new Error(`ended with ${code ?? signal}:\n${log.slice(-2000)}`)
  const bad = log.split('\n').filter((line) => line.includes('"level":"error"'))
  if (bad.length > 0) throw new Error(`errors in the log:\n${bad.join('\n')}`)
  return 'ended with 0'
}

let passed = 0
let failed = 0
async function step<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work()
    console.log(`ok    ${title}${typeof result === 'string' ? `: ${result}` : ''}`)
    passed++
    return result
  } catch (error) {
    console.log(`FAILED ${title}: ${error instanceof Error ? error.message : error}`)
    failed++
    return undefined
  }
}

const hub = await step('the demo becomes ready', () => startHubProcess('demo'))
if (hub !== undefined) {
  const base = `http://${hub.listeners.http.host}:${hub.listeners.http.port}`
  await step('the page is served', () => checkPage(base))
  await step('/metrics has the demo’s series', () => checkMetrics(base))
  await step('SIGTERM ends it', () => checkStop(hub))
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
