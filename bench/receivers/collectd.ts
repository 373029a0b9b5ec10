/**
 * collectd with nothing but its statsd plugin, as Debian builds it (package collectd-core), and its
 * control socket, which names the values it knows. It has no exact totals to ask for: that it took
 * in everything follows from the kernel's drop count, and from every name being known at the end.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NAME_COUNT } from '../load/measurements.ts'
import { socketQueue } from '../load/socket-queue.ts'
import { until } from '../measure/patience.ts'
import { endWithUs, freePort, type Receiver } from './receiver.ts'

export const COLLECTD = 'collectd'

const PROGRAM = '/usr/sbin/collectd'
/** Its default: how often it turns what came into values. */
const INTERVAL_S = 10

/** Starts it; a text says why that can't be. */
export async function startCollectd(): Promise<Receiver | string> {
  if (!existsSync(PROGRAM)) return `no ${PROGRAM}, which Debian's collectd-core brings`
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-collectd-'))
  const port = await freePort()
  const config = join(folder, 'collectd.conf')
  writeFileSync(config, configText(folder, port))
  const child = spawn(PROGRAM, ['-f', '-C', config], { stdio: 'ignore' })
  endWithUs(child)
  await until(() => isBound(port), `start of ${COLLECTD}`)
  return {
    title: `${COLLECTD} ${version()}`,
    pid: child.pid!,
    syntax: 'statsd',
    udpPort: port,
    tcpPort: 0,
    received: async () => undefined,
    async stop() {
      try {
        await until(async () => (await countNames(folder)) === NAME_COUNT, 'naming all values')
      } finally {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
        rmSync(folder, { recursive: true })
      }
    },
  }
}

function configText(folder: string, port: number): string {
  return `
    BaseDir "${folder}"
    PIDFile "${folder}/collectd.pid"
    TypesDB "/usr/share/collectd/types.db"
    Interval ${INTERVAL_S}
    LoadPlugin statsd
    <Plugin statsd>
      Host "127.0.0.1"
      Port "${port}"
    </Plugin>
    LoadPlugin unixsock
    <Plugin unixsock>
      SocketFile "${folder}/control"
    </Plugin>
  `
}

function isBound(port: number): boolean {
  try {
    socketQueue(port)
    return true
  } catch {
    return false
  }
}

function version(): string {
  const text = execFileSync(PROGRAM, ['-h'], { encoding: 'utf8' })
  return /collectd (\d+\.\d+)/.exec(text)?.[1] ?? ''
}

/** `LISTVAL` answers `[count] Values found`, then as many lines. */
async function countNames(folder: string): Promise<number> {
  const socket = connect(join(folder, 'control'))
  socket.setEncoding('latin1')
  socket.write('LISTVAL\n')
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    const count = Number.parseInt(text, 10)
    if (text.split('\n').length > count + 1) break
  }
  return text.match(/\/derive-app\./g)?.length ?? 0
}
