import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { serve } from '../../../test/support/http-client.ts'
import { startHub } from '../../../test/support/hub/hub.ts'
import { HostCollector } from './host-collector.ts'
import { parseMounts } from './readings.ts'

const MEMINFO = `MemTotal:        1000 kB
MemFree:          100 kB
MemAvailable:     500 kB
Buffers:           50 kB
Cached:           200 kB
SwapTotal:         10 kB
SwapFree:           4 kB
HugePages_Total:       0
`
const NET = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
    lo: 9 9 9 9 0 0 0 0 9 9 9 9 0 0 0 0
  eth0: 1000 10 1 2 0 0 0 0 500 5 3 4 0 0 0 0
`

/** A machine whose texts a test sets. */
function machine(texts: Record<string, string>): ConstructorParameters<typeof HostCollector>[3] {
  return {
    text: async (path) => texts[path],
    disks: async () => new Set(['sda']),
    statfs: async (path) => {
      if (path !== '/a b') throw new Error('no')
      return {
        type: 0,
        bsize: 1024,
        blocks: 100,
        bfree: 40,
        bavail: 30,
        files: 0,
        ffree: 0,
      } as never
    },
  }
}

async function collected(texts: Record<string, string>) {
  const { hub, clock } = await startHub({})
  const collector = new HostCollector(hub.createIngest('host'), new FakeClock(), 10, machine(texts))
  const read = async () => {
    await collector.start()
    clock.advance(1000)
    const found: Record<string, unknown> = {}
    for (const record of hub.series) {
      if (record.metadata.dialect !== 'host') continue
      assert.ok(record.metadata.description, record.identity.name)
      // Prometheus has that ending for the parts of histograms
      assert.ok(record.identity.kind === 'counter' || !/[._]count$/.test(record.identity.name))
      const labels = record.identity.labels.map(([, value]) => value).join(' ')
      const total = hub.total(record)
      found[`${record.identity.name} ${labels}`.trim()] =
        total.kind === 'counter' ? total.total : total.kind === 'gauge' && total.value
    }
    return found
  }
  return { read, hub, collector }
}

suite('the machine', () => {
  test('is read from /proc: counters are what came since the first reading', async () => {
    const texts: Record<string, string> = {
      '/proc/stat': 'cpu  100 0 50 1000 10 1 2 0 0 0\ncpu0 1 1 1\nctxt 7\n',
      '/proc/meminfo': MEMINFO,
      '/proc/diskstats':
        '   8 0 sda 10 1 100 5 20 2 200 6 0 500 11\n   8 1 sda1 9 0 9 0 9 0 9 0 0 9 9\n',
      '/proc/net/dev': NET,
      '/proc/net/sockstat': 'sockets: used 9\nTCP: inuse 5 orphan 0 tw 3 alloc 6 mem 1\n',
      '/proc/self/mounts':
        'proc /proc proc rw 0 0\n/dev/sda1 /a\\040b ext4 rw 0 0\n/dev/sdb1 /gone ext4 rw\n',
    }
    const { read, hub, collector } = await collected(texts)
    const first = await read()
    assert.equal(first['system.cpu.time user'], 0)
    assert.equal(first['system.memory.usage used'], 650 * 1024)
    assert.equal(first['system.paging.usage used'], 6 * 1024)
    assert.equal(first['system.linux.memory.available'], 500 * 1024)
    assert.equal(first['system.filesystem.usage /dev/sda1 /a b used'], 60 * 1024)
    assert.equal(first['system.filesystem.usage /dev/sda1 /a b reserved'], 10 * 1024)
    assert.equal(first['system.network.connections open tcp'], 5)
    assert.equal(first['system.cpu.utilization user'], undefined)
    texts['/proc/stat'] = 'cpu  175 0 50 1025 10 1 2 0 0 0\n'
    texts['/proc/diskstats'] = '   8 0 sda 11 1 108 5 20 2 200 6 0 750 11\n'
    texts['/proc/net/dev'] = NET.replace('1000 10', '3000 12').replace('500 5', '40 1')
    const second = await read()
    assert.equal(second['system.cpu.time user'], 0.75)
    assert.equal(second['system.cpu.utilization user'], 0.75)
    assert.equal(second['system.cpu.utilization idle'], 0.25)
    assert.equal(second['system.disk.io read sda'], 8 * 512)
    assert.equal(second['system.disk.operations read sda'], 1)
    assert.equal(second['system.disk.io_time sda'], 0.25)
    assert.equal(second['system.network.io eth0 receive'], 2000)
    // an interface that began anew
    assert.equal(second['system.network.io eth0 transmit'], 40)
    assert.equal(
      Object.keys(second).some((key) => /\blo\b|sda1 (read|write)/.test(key)),
      false,
    )
    collector.stop()
    await hub.stop()
  })

  test('without /proc has what Node knows of it', async () => {
    const { read, hub, collector } = await collected({})
    const found = await read()
    assert.equal(found['system.cpu.time user'], 0)
    assert.ok(Number(found['system.memory.limit']) > 0)
    assert.ok(Number(found['system.uptime']) > 0)
    assert.equal(typeof found['system.cpu.load_average.15m'], 'number')
    collector.stop()
    await hub.stop()
  })

  test('has at most 32 file systems, interfaces and disks', () => {
    const text = Array.from({ length: 99 }, (_, i) => `/dev/d${i} /m${i} ext4 rw`).join('\n')
    assert.equal(parseMounts(text).length, 32)
  })

  test('is collected where the option says so', async (context) => {
    const { hub } = await startHub({ hostMetricsIntervalS: 5 })
    const isThere = () => [...hub.series].some(({ metadata }) => metadata.dialect === 'host')
    while (!isThere()) await new Promise(setImmediate)
    const { ask } = await serve(context, { view: hub })
    const { text } = await ask('/metrics')
    assert.match(text, /^# HELP system_memory_limit_bytes memory of the machine$/m)
    assert.match(text, /^system_memory_limit_bytes \d+$/m)
    assert.match(text, /^system_uptime_seconds [\d.]+$/m)
    await hub.stop()
    const without = await startHub({})
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(
      [...without.hub.series].some(({ metadata }) => metadata.dialect === 'host'),
      false,
    )
    await without.hub.stop()
  })
})
