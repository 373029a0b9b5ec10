/**
 * netdata with nothing but its statsd plugin and a port for its own answers, as Debian builds it
 * (package netdata-core), in a folder of its own. The plugin's settings are the defaults; history
 * is in memory. What it took in it tells a second late, so that is compared at the end.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../measure/patience.ts'
import { endWithUs, freePort, type Receiver } from './receiver.ts'

export const NETDATA = 'netdata'

const PROGRAM = '/usr/sbin/netdata'
const FOLDERS = ['etc', 'lib', 'cache', 'log', 'web'] as const
/** Plugins that Debian's netdata would run besides. */
const OTHER_PLUGINS = [
  ...['timex', 'idlejitter', 'tc', 'diskspace', 'proc', 'cgroups', 'slabinfo', 'python.d', 'go.d'],
  ...['charts.d', 'apps', 'node.d', 'fping', 'ioping', 'ebpf', 'perf', 'nfacct', 'freeipmi'],
  ...['enable running new plugins', 'netdata monitoring extended'],
]
/** More than any question takes: what it took in is the sum over its seconds. */
const RETAINED_S = 7200
/** Its counts are rates of whole seconds, rounded, of which it may leave a part of one out. */
const COUNT_TOLERANCE = 0.005
/** Until a second that is under way is in its answers. */
const TOLD_MS = 2500

/** Starts it; a text says why that can't be. */
export async function startNetdata(): Promise<Receiver | string> {
  if (!existsSync(PROGRAM)) return `no ${PROGRAM}, which Debian's netdata-core brings`
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-netdata-'))
  for (const each of FOLDERS) mkdirSync(join(folder, each))
  const [port, answerPort] = [await freePort(), await freePort()]
  const config = join(folder, 'etc', 'netdata.conf')
  writeFileSync(config, configText(folder, port, answerPort))
  writeFileSync(join(folder, 'etc', '.opt-out-from-anonymous-statistics'), '')
  const child = spawn(PROGRAM, ['-D', '-c', config, '-P', join(folder, 'pid')], { stdio: 'ignore' })
  endWithUs(child)
  const events = `http://127.0.0.1:${answerPort}/api/v1/data?chart=netdata.statsd_events`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${NETDATA} ended with ${child.exitCode}`)
    return (await countersTaken(events)) !== undefined
  }, `start of ${NETDATA}`)
  let expected = 0
  return {
    title: `${NETDATA} ${version()}`,
    pid: child.pid!,
    syntax: 'statsd',
    udpPort: port,
    tcpPort: port,
    received: async () => undefined,
    expect(count) {
      expected += count
    },
    async stop() {
      await wait(TOLD_MS)
      const taken = await countersTaken(events)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
      if (taken === undefined || Math.abs(taken - expected) > COUNT_TOLERANCE * expected) {
        throw new Error(`${NETDATA} took in ${taken} of ${expected} measurements`)
      }
    },
  }
}

function configText(folder: string, port: number, answerPort: number): string {
  const sections: Record<string, string[]> = {
    global: ['hostname = bench', `run as user = ${execFileSync('id', ['-un']).toString().trim()}`],
    directories: [
      `home = ${folder}`,
      `config = ${folder}/etc`,
      `stock config = ${folder}/etc`,
      ...FOLDERS.slice(1).map((each) => `${each} = ${folder}/${each}`),
    ],
    db: ['mode = ram', `retention = ${RETAINED_S}`],
    logs: ['errors to syslog = no'],
    ml: ['enabled = no'],
    health: ['enabled = no'],
    registry: ['enabled = no'],
    cloud: ['enabled = no'],
    web: [`bind to = 127.0.0.1:${answerPort}`, 'web server threads = 1'],
    plugins: ['statsd = yes', ...OTHER_PLUGINS.map((each) => `${each} = no`)],
    statsd: ['enabled = yes', `bind to = udp:127.0.0.1:${port} tcp:127.0.0.1:${port}`],
  }
  return Object.entries(sections)
    .map(([name, lines]) => [`[${name}]`, ...lines.map((line) => `  ${line}`), ''].join('\n'))
    .join('\n')
}

/** Counters that it has taken in since its start; undefined as long as it doesn't answer. */
async function countersTaken(events: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`${events}&after=-${RETAINED_S}&format=json`)
    if (answer.status !== 200) return undefined
    const { labels, data } = (await answer.json()) as { labels: string[]; data: number[][] }
    const column = labels.indexOf('counters')
    return data.reduce((sum, row) => sum + (row[column] ?? 0), 0)
  } catch {
    return undefined
  }
}

/** `netdata v1.37.1` */
function version(): string {
  const text = execFileSync(PROGRAM, ['-V'], { encoding: 'utf8' })
  return /v(\d+(?:\.\d+)+)/.exec(text)?.[1] ?? ''
}
