/**
 * npm's statsd, the rival from the same platform, both of its servers on one port. It does not
 * start under Node 24 and later, so a Node 20 of this machine runs it.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VALUE } from '../load/measurements.ts'
import { until } from '../measure/patience.ts'
import { endWithUs, freePort, type Receiver } from './receiver.ts'

export const STATSD = 'npm statsd'

const VERSION = '0.9.0'
/** Where it is kept from one run of the bench to the next. */
const FOLDER = join(tmpdir(), `pentameter-bench-statsd-${VERSION}`)
/** Node versions that run it, tried oldest first. */
const NODE_MAJORS = [20, 21, 22, 23]
/** Beyond any run: flushing would only cost it time, and empty the counters that are verified. */
const FLUSH_MS = 3_600_000

/** Starts it, installed first if need be; a text says why that can't be. */
export async function startStatsd(): Promise<Receiver | string> {
  const node = findNode()
  if (node === undefined) {
    return `no Node ${NODE_MAJORS[0]} to ${NODE_MAJORS.at(-1)} on this machine, which it needs`
  }
  const program = join(FOLDER, 'node_modules', 'statsd', 'stats.js')
  if (!existsSync(program)) {
    const problem = install()
    if (problem !== undefined) return problem
  }
  const port = await freePort()
  const controlPort = await freePort()
  const config = join(FOLDER, `config-${port}.js`)
  writeFileSync(config, configText(port, controlPort))
  const child = spawn(node.path, [program, config], { stdio: 'ignore' })
  endWithUs(child)
  await until(() => canConnect(controlPort), `start of ${STATSD}`)
  return {
    title: `${STATSD} ${VERSION}, Node ${node.version}`,
    pid: child.pid!,
    syntax: 'statsd',
    udpPort: port,
    tcpPort: port,
    received: () => countReceived(controlPort),
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(config)
    },
  }
}

function findNode(): { path: string; version: string } | undefined {
  const folders = [...new Set((process.env.PATH ?? '').split(':'))]
  for (const folder of folders) {
    const path = join(folder, 'node')
    if (folder.includes('node_modules') || !isProgram(path)) continue
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1)
    if (NODE_MAJORS.includes(Number.parseInt(version, 10))) return { path, version }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @returns why it did not work */
function install(): string | undefined {
  mkdirSync(FOLDER, { recursive: true })
  const options = ['--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    execFileSync('npm', ['install', ...options, `statsd@${VERSION}`], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `npm install did not work: ${(error as Error).message.split('\n')[0]}`
  }
}

/** What statsd evaluates as its config. */
function configText(port: number, controlPort: number): string {
  const address = '127.0.0.1'
  const servers = ['./servers/udp', './servers/tcp'].map((server) => ({ server, address, port }))
  return JSON.stringify({
    servers,
    mgmt_address: address,
    mgmt_port: controlPort,
    flushInterval: FLUSH_MS,
    backends: ['./backends/console'],
  })
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Its control port prints all counters: `'app.service.m000000.requests': 42,`, then `END`. */
async function countReceived(controlPort: number): Promise<number> {
  const socket = connect(controlPort, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.write('counters\n')
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.includes('END')) break
  }
  let sum = 0
  for (const [, total] of text.matchAll(/'app\.[^']*': (\d+)/g)) sum += Number(total)
  return sum / VALUE
}
