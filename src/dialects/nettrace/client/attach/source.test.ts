/** Processes into the hub: found, read from once, followed through restarts, asked anew. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { attachedHub, eventually, passTime } from '../../test/attached.ts'
import { CounterStream } from '../../test/counter-stream.ts'
import { startFakeRuntime } from '../../test/fake-runtime.ts'

const OTHER_COOKIE = 'ff'.repeat(16)

/** A hub that reads from one process, `Shop`, whose session is open. */
async function attached(t: TestContext, address = 'dotnet://Shop?providers=App', client = {}) {
  const hub = attachedHub(t, client)
  const fake = await startFakeRuntime(t, {}, hub.process(4242, 'dotnet'))
  const { source, peers } = hub.attach(address)
  const { runtime } = fake
  await eventually(hub.clock, () => peers()[0]!.link.isConnected)
  const facts = () => peers()[0]!.facts
  const feed = async (stream: CounterStream, readings: number): Promise<void> => {
    runtime.send(stream.take())
    await eventually(hub.clock, () => Number(facts().readings) >= readings)
  }
  return { ...hub, ...fake, source, peers, facts, feed }
}

suite('a process', () => {
  test('is found by its name, and its counters are series with its name', async (t) => {
    const { peers, feed, series, facts, runtime } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 3).mean(0, 'load', 0.5), 2)
    const [hits] = series('hits')
    assert.deepEqual(hits!.identity.labels, [
      ['process', 'Shop'],
      ['provider', 'App'],
    ])
    assert.deepEqual([hits!.total, series('load')[0]!.value], [3, 0.5])
    assert.deepEqual([hits!.metadata.sourceLabel, hits!.metadata.dialect], ['process', 'nettrace'])
    const { source, name } = peers()[0]!
    assert.deepEqual([source, name], ['Shop', 'dotnet://Shop'])
    const { process, pid, runtime: version, providers, intervalMs, lost } = facts()
    assert.deepEqual(
      [process, pid, version, providers, intervalMs, lost],
      ['Shop', 4242, '10.0.12', 'App', 1000, 0],
    )
    assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2'])
  })

  for (const address of ['dotnet://4242', 'dotnet://*', 'dotnet://Sh*p', 'dotnet://dotnet']) {
    test(`is found as ${address}`, async (t) => {
      const { peers } = await attached(t, `${address}?providers=App`)
      assert.deepEqual(
        peers().map(({ name }) => name),
        ['dotnet://Shop'],
      )
    })
  }

  test('of another name is asked who it is once, and left alone', async (t) => {
    const hub = attachedHub(t)
    const { runtime } = await startFakeRuntime(t, {}, hub.process(4242, 'dotnet'))
    const { peers } = hub.attach('dotnet://Shopping')
    await eventually(hub.clock, () => peers()[0]!.link.reason !== undefined)
    await eventually(hub.clock, () => runtime.names.length > 0)
    await passTime(hub.clock, 10_000)
    assert.deepEqual(runtime.names, ['ProcessInfo3'])
    const { link, name } = peers()[0]!
    assert.deepEqual([link.isConnected, link.wasReached, name], [false, false, 'dotnet://Shopping'])
    assert.match(link.reason!, /no process of the name/)
  })

  test('is read from once, however many addresses choose it', async (t) => {
    const { attach, runtime, clock, peers } = await attached(t)
    const other = attach('dotnet://*?providers=App')
    const third = attach('dotnet://4242?providers=App')
    await passTime(clock, 5000)
    assert.equal(runtime.names.filter((name) => name === 'CollectTracing2').length, 1)
    assert.equal(peers()[0]!.link.isConnected, true)
    assert.deepEqual(
      [...other.peers(), ...third.peers()].map(({ link }) => [link.isConnected, link.reason]),
      [
        [false, 'a process of it is read from already, by another address'],
        [false, 'process 4242 is read from already, by another address'],
      ],
    )
  })

  test('of the same program beside it has a number', async (t) => {
    const { process, clock, peers, runtime } = await attached(t, 'dotnet://Sh*')
    const facts = { pid: '4243', cookie: OTHER_COOKIE }
    await startFakeRuntime(t, { facts }, process(4243, 'dotnet'))
    await eventually(clock, () => peers().length === 2 && peers()[1]!.link.isConnected)
    assert.deepEqual(
      peers().map(({ source }) => source),
      ['Shop', 'Shop~2'],
    )
    assert.equal(runtime.sessions.length, 1)
  })

  test('that ends and comes back goes on with its series', async (t) => {
    const { feed, kill, process, clock, peers, series, facts } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 3).mean(0, 'load', 2), 2)
    await kill()
    await eventually(clock, () => !peers()[0]!.link.isConnected)
    assert.ok(Number.isNaN(series('load')[0]!.value), 'what it showed is not known any more')
    const next = { facts: { pid: '5000', cookie: OTHER_COOKIE } }
    const { runtime } = await startFakeRuntime(t, next, process(5000, 'dotnet'))
    await eventually(clock, () => peers()[0]!.link.isConnected)
    runtime.send(new CounterStream().sum(0, 'hits', 4).take())
    await eventually(clock, () => series('hits')[0]!.total === 7)
    assert.deepEqual([series('hits').length, facts().pid], [1, 5000])
  })

  test('whose stream breaks off is attached to again, without a second session', async (t) => {
    const { runtime, clock, peers, facts, feed, series } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 3), 1)
    runtime.sessions[0]!.socket.destroy()
    await eventually(clock, () => facts().reconnects === 1 && runtime.sessions.length === 1)
    await eventually(clock, () => peers()[0]!.link.isConnected)
    runtime.send(new CounterStream().sum(0, 'hits', 4).take())
    await eventually(clock, () => series('hits')[0]!.total === 7)
    assert.equal(runtime.sessions.length, 1)
  })
})

suite('a socket', () => {
  test('that is stale is counted and never connected to', async (t) => {
    const hub = attachedHub(t)
    const { runtime } = await startFakeRuntime(t, {}, hub.process(4242, 'dotnet', 987))
    hub.process(4242, 'other', 988)
    const { peers } = hub.attach('dotnet://*')
    await eventually(hub.clock, () => peers()[0]!.facts.stale === 1)
    await passTime(hub.clock, 3000)
    assert.deepEqual(runtime.names, [])
    assert.deepEqual([hub.reports.counts['sockets_skipped stale'], peers()[0]!.facts.stale], [1, 1])
  })

  test('of a process that does not answer is tried again, ever later', async (t) => {
    const hub = attachedHub(t)
    const path = hub.process(4242, 'dotnet')
    const { runtime } = await startFakeRuntime(t, { answer: () => 'hang' }, path)
    const { peers } = hub.attach('dotnet://4242')
    await passTime(hub.clock, 60_000)
    assert.ok(runtime.commands.length < 8)
    await eventually(hub.clock, () => runtime.commands.length > 2)
    const reason = () => peers()[0]!.link.reason ?? ''
    await eventually(hub.clock, () => /no answer .* within 5000 ms/.test(reason()))
    runtime.options = {}
    await eventually(hub.clock, () => peers()[0]!.link.isConnected)
  })

  test('of a process that waits to be told to begin is left alone until it has', async (t) => {
    const hub = attachedHub(t)
    const facts = { commandLine: '/srv/Shop' }
    const fake = await startFakeRuntime(t, { facts }, hub.process(4242, 'dotnet'))
    const folder = join(hub.places.proc, '4242')
    symlinkSync('/srv/Shop', join(folder, 'exe'))
    const wait = (ports: string, suspends = '0'): void => {
      const own = `DOTNET_DefaultDiagnosticPortSuspend=${suspends}`
      writeFileSync(join(folder, 'environ'), `A=b\0DOTNET_DiagnosticPorts=${ports}\0${own}\0`)
    }
    wait('/run/a,nosuspend;/run/b')
    const { peers } = hub.attach('dotnet://4242')
    const reason = (): string => peers()[0]!.link.reason ?? ''
    await eventually(hub.clock, () => /process 4242 waits at its diagnostic port/.test(reason()))
    await passTime(hub.clock, 5000)
    assert.deepEqual(new Set(fake.runtime.names), new Set(['ProcessInfo3']))
    wait('/run/a,nosuspend', '1')
    await passTime(hub.clock, 5000)
    assert.deepEqual(new Set(fake.runtime.names), new Set(['ProcessInfo3']))
    wait('/run/a,nosuspend')
    await eventually(hub.clock, () => peers()[0]!.link.isConnected)
  })

  test('that is not one of ours is counted as an error of its bytes', async (t) => {
    const hub = attachedHub(t)
    const path = hub.process(4242, 'dotnet')
    const answer = () => Buffer.from('220 smtp.example.org')
    await startFakeRuntime(t, { answer }, path)
    const { peers } = hub.attach('dotnet://dotnet')
    await eventually(hub.clock, () => peers()[0]!.link.reason !== undefined)
    await eventually(hub.clock, () => hub.reports.counts['connect_failed bad_reply'] === 1)
    assert.match(peers()[0]!.link.reason!, /no known words/)
  })
})

suite('a process that hangs', () => {
  test('is asked who it is before it is asked for a session again', async (t) => {
    const { runtime, clock, peers } = await attached(t)
    runtime.options = { answer: () => 'hang' }
    runtime.sessions[0]!.socket.destroy()
    await passTime(clock, 60_000)
    const collects = runtime.names.filter((name) => name === 'CollectTracing2').length
    assert.equal(collects, 2, 'the first session, and one attempt that was not answered')
    assert.ok(runtime.names.filter((name) => name === 'ProcessInfo').length >= 2)
    assert.match(peers()[0]!.link.reason!, /it hangs, or another tool holds it up/)
    runtime.options = {}
    await eventually(clock, () => peers()[0]!.link.isConnected)
  })
})

suite('silence', () => {
  test('of all counters is broken once by another session, and shown', async (t) => {
    const { runtime, clock, feed, facts, reports } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 3), 1)
    await passTime(clock, 12_000)
    assert.deepEqual([facts().askedAgain, runtime.names.includes('StopTracing')], [0, false])
    await passTime(clock, 60_000)
    assert.deepEqual([facts().askedAgain, runtime.sessions.length], [1, 1])
    assert.equal(reports.counts['asked_again silent'], 1)
    assert.deepEqual(runtime.names.slice(2), ['StopTracing', 'CollectTracing2'])
  })

  test('after a sign of life is as long as the first time', async (t) => {
    const { runtime, clock, feed, facts, peers } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 3), 1)
    const collects = () => runtime.names.filter((name) => name === 'CollectTracing2').length
    await eventually(clock, () => collects() === 2 && peers()[0]!.link.isConnected)
    await feed(new CounterStream().sum(0, 'hits', 3), 2)
    await passTime(clock, 20_000)
    assert.equal(facts().askedAgain, 2)
  })

  test('of one source is broken as well, while another speaks', async (t) => {
    const { runtime, clock, facts, feed } = await attached(t, 'dotnet://Shop?providers=A,B')
    const stream = new CounterStream()
    await feed(stream.sum(0, 'x', 1, { provider: 'A' }).sum(0, 'y', 1, { provider: 'B' }), 2)
    // after 13 s of silence; later where what is sent takes its time
    for (let i = 1; facts().askedAgain === 0 && i <= 16; i++) {
      runtime.send(stream.sum(1900 * i, 'x', 1, { provider: 'A', IntervalSec: 1.9 }).take())
      await passTime(clock, 1900)
    }
    assert.equal(facts().askedAgain, 1)
  })

  test('while another tool’s interval is in force is asked for again, ever later', async (t) => {
    const { runtime, clock, facts, series, reports } = await attached(t)
    let sent = 0
    let asked = 0
    let stream = new CounterStream()
    const speak = async (seconds: number, intervalMs: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        if (runtime.names.filter((name) => name === 'CollectTracing2').length > asked) {
          asked = runtime.names.filter((name) => name === 'CollectTracing2').length
          stream = new CounterStream()
        }
        const more = { Series: `Interval=${intervalMs}`, IntervalSec: 1 + ++sent / 1000 }
        runtime.send(stream.sum(1000 * sent, 'hits', 1, more).take())
        await passTime(clock, 1000)
      }
    }
    await speak(100, 500)
    const { intervalMs, askedMs, foreignIntervals, askedAgain } = facts()
    assert.deepEqual([intervalMs, askedMs], [500, 1000])
    assert.ok(Number(foreignIntervals) > 80 && series('hits').length === 0)
    // after 13, 26 and 52 s, not every 13
    assert.deepEqual([askedAgain, reports.counts['asked_again interval']], [3, 3])
    await speak(3, 1000)
    assert.ok(Number(series('hits')[0]!.total) >= 2)
    assert.deepEqual([facts().intervalMs, facts().askedMs], [1000, undefined])
  })

  test('is none where any interval is taken', async (t) => {
    const { feed, series, facts } = await attached(t, 'dotnet://Shop?providers=App&intervals=any')
    const stream = new CounterStream().sum(0, 'hits', 3).sum(500, 'hits', 4, {
      ...{ Series: 'Interval=500', IntervalSec: 0.5 },
    })
    await feed(stream, 2)
    assert.deepEqual([series('hits')[0]!.total, facts().intervalMs], [7, 500])
  })
})

suite('the end', () => {
  test('stops the session in good order, and nothing is left', async (t) => {
    const { feed, source, runtime, clock } = await attached(t)
    await feed(new CounterStream().sum(0, 'hits', 1), 1)
    const { id } = runtime.sessions[0]!
    await source.close()
    assert.deepEqual(runtime.commands.at(-1), { message: 'StopTracing', session: id })
    assert.deepEqual([runtime.sessions.length, clock.pending], [0, 0])
  })

  test('frees the process for another address', async (t) => {
    const { source, attach, clock, runtime } = await attached(t)
    const other = attach('dotnet://*?providers=App')
    await source.close()
    await eventually(clock, () => other.peers()[0]!.link.isConnected)
    assert.equal(runtime.sessions.length, 1)
  })
})

test('more processes than may be are left out and counted', async (t) => {
  const { process, clock, peers, reports } = await attached(t, 'dotnet://*', { processesLimit: 1 })
  const facts = { pid: '4243', cookie: OTHER_COOKIE }
  await startFakeRuntime(t, { facts }, process(4243, 'dotnet'))
  await eventually(clock, () => reports.counts['processes_refused processes_limit'] === 1)
  await passTime(clock, 5000)
  assert.equal(peers().length, 1)
  assert.equal(reports.counts['processes_refused processes_limit'], 1)
})
