/** A hub that is started again on its history: series are there, and count on from their totals. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcess } from '../support/hub/hub-process.ts'

const OPENMETRICS = { accept: 'application/openmetrics-text; version=1.0.0' }

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pentameter-restart-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function start(folder: string): Promise<HubProcess> {
  const hub = await startHubProcess('serve', '--history', folder, '--ingest-workers', '1')
  after(() => hub.signal('SIGKILL'))
  return hub
}

/** Values of the exposition whose names begin so, by name and labels. */
async function scrape(hub: HubProcess, prefix: string): Promise<ReadonlyMap<string, string>> {
  const { host, port } = hub.listeners.http
  const answer = await fetch(`http://${host}:${port}/metrics`, { headers: OPENMETRICS })
  const values = new Map<string, string>()
  for (const line of (await answer.text()).split('\n')) {
    if (!line.startsWith(prefix)) continue
    const end = line.indexOf(' ', line.lastIndexOf('}') + 1)
    values.set(line.slice(0, end), line.slice(end + 1).split(' ')[0]!)
  }
  return values
}

function valueNamed(values: ReadonlyMap<string, string>, name: string): string | undefined {
  return [...values].find(([key]) => key === name || key.startsWith(`${name}{`))?.[1]
}

/** Waits until a value is told, and the second that brought it is durable. */
async function told(hub: HubProcess, name: string, value: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (valueNamed(await scrape(hub, name), name) === value) return
    await pause(50)
  }
  assert.equal(valueNamed(await scrape(hub, name), name), value)
}

async function send(hub: HubProcess, lines: string): Promise<void> {
  await sendTcp({ textPort: hub.listeners.text.port }, [packet(lines)])
}

const LINES = 'a:5|m\na:-2|m\nf:7|m\nh:3|h\nh:900|h\ng:4|g\nr:100|mr\nr:130|mr\n'

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${end} counters and histograms count on, and began when they did`, async () => {
    const folder = newFolder()
    const first = await start(folder)
    await send(first, LINES)
    await told(first, 'a_total', '5')
    await told(first, 'r_total', '30')
    const created = valueNamed(await scrape(first, 'a_created'), 'a_created')
    // what is not durable yet is lost by a kill, so two seconds are waited for
    await pause(2500)
    const before = await scrape(first, 'h')
    first.signal(end)
    await first.ended
    const second = await start(folder)
    const again = await scrape(second, 'h')
    assert.deepEqual(again, before)
    assert.equal(valueNamed(await scrape(second, 'a_total'), 'a_total'), '5')
    assert.equal(valueNamed(await scrape(second, 'a_created'), 'a_created'), created)
    await send(second, LINES)
    await told(second, 'a_total', '10')
    // the first reading only tells where the counter stands
    await told(second, 'r_total', '60')
    await pause(1500)
    assert.equal(valueNamed(await scrape(second, 'h'), 'h_hist_count'), '4')
    await second.stop()
    const third = await start(folder)
    assert.equal(valueNamed(await scrape(third, 'a_total'), 'a_total'), '10')
    assert.equal(valueNamed(await scrape(third, 'r_total'), 'r_total'), '60')
    assert.equal(valueNamed(await scrape(third, 'f_total'), 'f_total'), '14')
    await third.stop()
  })
}
