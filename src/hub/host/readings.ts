/**
 * Readings of the machine, named as OpenTelemetry's system conventions name them: of /proc where
 * there is one, else what Node knows of any system. Pure parsers of texts that the kernel writes.
 */

/** One number of the machine. */
export interface Reading {
  readonly name: string
  /** `counter`: a total that the kernel keeps; its growth is what counts. */
  readonly kind: 'counter' | 'gauge'
  readonly value: number
  readonly unit: string
  readonly labels: readonly (readonly [key: string, value: string])[]
}

/** Meanings of the readings, by name: what `# HELP` says of them. */
export const MEANINGS: Readonly<Record<string, string>> = {
  'system.cpu.time': 'processor time of all cores, by what they did',
  'system.cpu.utilization': 'share of the processor time since the reading before, 1 = all cores',
  'system.cpu.load_average.1m': 'mean number of tasks that ran or waited, over 1 minute',
  'system.cpu.load_average.5m': 'mean number of tasks that ran or waited, over 5 minutes',
  'system.cpu.load_average.15m': 'mean number of tasks that ran or waited, over 15 minutes',
  'system.memory.usage': 'memory, by what it is used for',
  'system.memory.limit': 'memory of the machine',
  'system.linux.memory.available': 'memory that programs can have without swapping',
  'system.paging.usage': 'swap space, used and free',
  'system.uptime': 'time since the machine was started',
  'system.disk.io': 'bytes read from and written to a disk',
  'system.disk.operations': 'reads and writes of a disk',
  'system.disk.io_time': 'time in which a disk had something to do',
  'system.filesystem.usage': 'space of a file system, used, free and reserved',
  'system.network.io': 'bytes that an interface received and transmitted',
  'system.network.packet.count': 'packets that an interface received and transmitted',
  'system.network.errors': 'packets that an interface could not receive or transmit',
  'system.network.packet.dropped': 'packets that were dropped at an interface',
  'system.network.connections': 'TCP sockets, open and in TIME_WAIT',
}

/** Most devices, interfaces and file systems of which there are readings, each. */
const PARTS_LIMIT = 32
/** Bytes of a sector in /proc/diskstats, whatever the disk's own are. */
const SECTOR_BYTES = 512
/** Clock ticks of a second in /proc/stat: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
/** Columns of a `cpu` line; guest time is part of user time. */
const CPU_MODES = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal']
/** Modes of OpenTelemetry in place of some of these. */
const MODE_NAMES: Readonly<Record<string, string>> = { irq: 'interrupt' }

/** Makes the readings of processor time in seconds, by mode. */
export function cpuReadings(seconds: ReadonlyMap<string, number>): Reading[] {
  return [...seconds].map(([mode, value]) => {
    const labels = [['cpu.mode', MODE_NAMES[mode] ?? mode]] as const
    return { name: 'system.cpu.time', kind: 'counter', value, unit: 's', labels }
  })
}

/** Reads seconds of all processors by mode from /proc/stat. */
export function parseStat(text: string): Map<string, number> {
  const line = /^cpu +(.*)$/m.exec(text)?.[1] ?? ''
  const ticks = line.split(/ +/).map(Number)
  return new Map(
    CPU_MODES.flatMap((mode, i) => {
      return Number.isFinite(ticks[i]) ? [[mode, ticks[i]! / TICKS_PER_SECOND] as const] : []
    }),
  )
}

/** Reads memory and swap from /proc/meminfo. */
export function parseMeminfo(text: string): Reading[] {
  const bytes = new Map(
    [...text.matchAll(/^(\w+): +(\d+) kB$/gm)].map(([, key, kB]) => [key!, Number(kB) * 1024]),
  )
  const of = (key: string) => bytes.get(key) ?? 0
  const used = of('MemTotal') - of('MemFree') - of('Buffers') - of('Cached')
  const states = [
    ['used', used],
    ['free', of('MemFree')],
    ['buffers', of('Buffers')],
    ['cached', of('Cached')],
  ] as const
  return [
    ...states.map(([state, value]) => memory(state, Math.max(0, value))),
    gauge('system.memory.limit', of('MemTotal'), 'By'),
    gauge('system.linux.memory.available', of('MemAvailable'), 'By'),
    ...(['used', 'free'] as const).map((state) => {
      const value = state === 'free' ? of('SwapFree') : of('SwapTotal') - of('SwapFree')
      return gauge('system.paging.usage', value, 'By', [['system.paging.state', state]])
    }),
  ]
}

export function memory(state: string, value: number): Reading {
  return gauge('system.memory.usage', value, 'By', [['system.memory.state', state]])
}

/**
 * Reads whole disks from /proc/diskstats.
 * @param disks their names; all that did anything when not given
 */
export function parseDiskstats(text: string, disks: ReadonlySet<string> | undefined): Reading[] {
  const lines = text.split('\n').map((line) => line.trim().split(/ +/))
  const used = lines.filter(([, , name, ...columns]) => {
    const isOne = name !== undefined && !/^(loop|ram)\d/.test(name)
    return isOne && (disks?.has(name) ?? true) && columns.some((each) => Number(each) > 0)
  })
  return used.slice(0, PARTS_LIMIT).flatMap(([, , name, ...columns]) => {
    const [reads, , readSectors, , writes, , writtenSectors, , , busyMs] = columns.map(Number)
    const device = ['system.device', name!] as const
    const way = (direction: string) => [device, ['disk.io.direction', direction] as const]
    return [
      counter('system.disk.io', readSectors! * SECTOR_BYTES, 'By', way('read')),
      counter('system.disk.io', writtenSectors! * SECTOR_BYTES, 'By', way('write')),
      counter('system.disk.operations', reads!, '{operation}', way('read')),
      counter('system.disk.operations', writes!, '{operation}', way('write')),
      counter('system.disk.io_time', busyMs! / 1000, 's', [device]),
    ].filter(({ value }) => Number.isFinite(value))
  })
}

/** Reads interfaces but that of the machine to itself from /proc/net/dev. */
export function parseNetDev(text: string): Reading[] {
  const found = [...text.matchAll(/^ *([^\s:]+): *(\d[\d ]*)$/gm)].filter(
    ([, name]) => name !== 'lo',
  )
  return found.slice(0, PARTS_LIMIT).flatMap(([, name, rest]) => {
    const columns = rest!.trim().split(/ +/).map(Number)
    return (['receive', 'transmit'] as const).flatMap((direction, i) => {
      const [bytes = 0, packets = 0, errors = 0, drops = 0] = columns.slice(8 * i)
      const labels = [
        ['network.interface.name', name!],
        ['network.io.direction', direction],
      ] as const
      return [
        counter('system.network.io', bytes, 'By', labels),
        counter('system.network.packet.count', packets, '{packet}', labels),
        counter('system.network.errors', errors, '{error}', labels),
        counter('system.network.packet.dropped', drops, '{packet}', labels),
      ]
    })
  })
}

/** Reads TCP sockets from /proc/net/sockstat. */
export function parseSockstat(text: string): Reading[] {
  const [, open, waiting] = /^TCP: inuse (\d+) orphan \d+ tw (\d+)/m.exec(text) ?? []
  if (open === undefined) return []
  const name = 'system.network.connections'
  const tcp = ['network.transport', 'tcp'] as const
  return [
    gauge(name, Number(open), '{connection}', [tcp, ['network.connection.state', 'open']]),
    gauge(name, Number(waiting), '{connection}', [tcp, ['network.connection.state', 'time_wait']]),
  ]
}

/** Lists file systems on disks of this machine from /proc/self/mounts, each device once. */
export function parseMounts(text: string): { device: string; mountpoint: string }[] {
  const byDevice = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [device = '', mountpoint = ''] = line.split(' ')
    if (!device.startsWith('/dev/') || /^\/dev\/loop/.test(device)) continue
    if (!byDevice.has(device)) byDevice.set(device, unescaped(mountpoint))
  }
  const all = [...byDevice].map(([device, mountpoint]) => ({ device, mountpoint }))
  return all.slice(0, PARTS_LIMIT)
}

/** Reads `\040` as the space that it is. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
}

export function fileSystemReadings(
  { device, mountpoint }: { device: string; mountpoint: string },
  {
    bsize,
    blocks,
    bfree,
    bavail,
  }: { bsize: number; blocks: number; bfree: number; bavail: number },
): Reading[] {
  const states = [
    ['used', blocks - bfree],
    ['free', bavail],
    ['reserved', bfree - bavail],
  ] as const
  return states.map(([state, count]) => {
    return gauge('system.filesystem.usage', count * bsize, 'By', [
      ['system.device', device],
      ['system.filesystem.mountpoint', mountpoint],
      ['system.filesystem.state', state],
    ])
  })
}

export function gauge(
  name: string,
  value: number,
  unit: string,
  labels: Reading['labels'] = [],
): Reading {
  return { name, kind: 'gauge', value, unit, labels }
}

function counter(name: string, value: number, unit: string, labels: Reading['labels']): Reading {
  return { name, kind: 'counter', value, unit, labels }
}
