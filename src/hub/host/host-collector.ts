/**
 * Collector of the machine that the hub runs on: processors, memory, disks, network and load, as
 * series of their own every few seconds (`hostMetricsIntervalS`, `--host-metrics`).
 */
import type { StatsFs } from 'node:fs'
import { readdir, readFile, statfs } from 'node:fs/promises'
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import type { Describe, Ingest } from '../../dialects/ingest.ts'
import { type Kind, keyedHash, sortLabels } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import {
  cpuReadings,
  fileSystemReadings,
  gauge,
  MEANINGS,
  memory,
  parseDiskstats,
  parseMeminfo,
  parseMounts,
  parseNetDev,
  parseSockstat,
  parseStat,
  type Reading,
} from './readings.ts'

/** Name of these series' dialect: no protocol brings them. */
export const HOST_DIALECT = 'host'

/** A machine as the collector sees it; texts are undefined where it has none. */
interface Machine {
  text(path: string): Promise<string | undefined>
  /** Names of whole disks. */
  disks(): Promise<ReadonlySet<string> | undefined>
  statfs(path: string): Promise<StatsFs>
}

const THIS_MACHINE: Machine = {
  text: (path) => readFile(path, 'latin1').catch(() => undefined),
  disks: () =>
    readdir('/sys/block').then(
      (names) => new Set(names),
      () => undefined,
    ),
  statfs: (path) => statfs(path),
}

export class HostCollector {
  readonly #ingest: Ingest
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #machine: Machine
  /** Totals at the last reading, by series. */
  readonly #totals = new Map<string, number>()
  #cpuSeconds: ReadonlyMap<string, number> = new Map()
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(ingest: Ingest, clock: Clock, intervalS: number, machine: Machine = THIS_MACHINE) {
    this.#ingest = ingest
    this.#clock = clock
    this.#intervalMs = intervalS * 1000
    this.#machine = machine
  }

  /** Reads now, then every interval; a slow reading delays the next one. */
  async start(): Promise<void> {
    await this.#collect()
    if (this.#isStopped) return
    this.#cancel = this.#clock.after(this.#intervalMs, () => void this.start())
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  async #collect(): Promise<void> {
    const readings = await this.#readings()
    if (this.#isStopped) return
    this.#ingest.begin(HOST_DIALECT)
    for (const reading of readings) this.#take(reading)
  }

  async #readings(): Promise<Reading[]> {
    const { text, disks } = this.#machine
    const paths = ['stat', 'meminfo', 'diskstats', 'net/dev', 'net/sockstat', 'self/mounts']
    const texts = paths.map((path) => text(`/proc/${path}`))
    const [stat, meminfo, diskstats, netDev, sockstat, mounts] = await Promise.all(texts)
    const seconds = stat === undefined ? cpuSecondsOfNode() : parseStat(stat)
    return [
      ...cpuReadings(seconds),
      ...this.#utilization(seconds),
      ...(meminfo === undefined ? memoryOfNode() : parseMeminfo(meminfo)),
      ...loadavg().map((load, i) => gauge(`system.cpu.load_average.${[1, 5, 15][i]}m`, load, '1')),
      gauge('system.uptime', uptime(), 's'),
      ...(diskstats === undefined ? [] : parseDiskstats(diskstats, await disks())),
      ...(netDev === undefined ? [] : parseNetDev(netDev)),
      ...(sockstat === undefined ? [] : parseSockstat(sockstat)),
      ...(mounts === undefined ? [] : await this.#fileSystems(mounts)),
    ]
  }

  /** Shares of the interval by mode; none at the first reading. */
  #utilization(seconds: ReadonlyMap<string, number>): Reading[] {
    const last = this.#cpuSeconds
    this.#cpuSeconds = seconds
    const grown = [...seconds].map(([mode, value]) => [mode, value - (last.get(mode) ?? value)])
    const all = grown.reduce((sum, [, each]) => sum + Math.max(0, Number(each)), 0)
    if (all <= 0) return []
    return cpuReadings(new Map(grown as [string, number][])).map(({ labels, value }) => {
      return gauge('system.cpu.utilization', Math.max(0, value) / all, '1', labels)
    })
  }

  async #fileSystems(mounts: string): Promise<Reading[]> {
    const all = await Promise.all(
      parseMounts(mounts).map(async (each) => {
        try {
          return fileSystemReadings(each, await this.#machine.statfs(each.mountpoint))
        } catch {
          return [] // a disk that does not answer has no readings
        }
      }),
    )
    return all.flat()
  }

  #take(reading: Reading): void {
    const id = JSON.stringify([reading.name, reading.labels])
    const key = Buffer.from(id)
    const type = reading.kind === 'gauge' ? 0 : 1
    const hash = keyedHash(key, 0, key.length)
    const slot = this.#ingest.slot(key, 0, key.length, type, hash, describeAs(reading))
    if (reading.kind === 'gauge') {
      this.#ingest.set(slot, reading.value)
      return
    }
    const last = this.#totals.get(id)
    this.#totals.set(id, reading.value)
    // a smaller total is that of another device under the name, or of one that began anew
    // of hundredths of a second their difference as doubles has more digits than they had
    const delta = last === undefined ? 0 : Math.round((reading.value - last) * 1e6) / 1e6
    const grown = delta < 0 ? reading.value : delta
    this.#ingest.merge(slot, { kind: 'counter', delta: grown }, this.#intervalMs / 1000)
  }
}

function describeAs({ name, kind, unit, labels }: Reading): Describe {
  return () => ({
    identity: { name, kind: kind as Kind, labels: sortLabels(labels) },
    metadata: { dialect: HOST_DIALECT, unit, description: MEANINGS[name]! },
  })
}

/** Sums the seconds of all processors that Node knows of. */
function cpuSecondsOfNode(): Map<string, number> {
  const seconds = new Map<string, number>()
  for (const { times } of cpus()) {
    for (const [mode, ms] of Object.entries({
      ...{ user: times.user, nice: times.nice, system: times.sys },
      ...{ idle: times.idle, irq: times.irq },
    })) {
      seconds.set(mode, (seconds.get(mode) ?? 0) + ms / 1000)
    }
  }
  return seconds
}

function memoryOfNode(): Reading[] {
  const [all, free] = [totalmem(), freemem()]
  return [memory('used', all - free), memory('free', free), gauge('system.memory.limit', all, 'By')]
}
