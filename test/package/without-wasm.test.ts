/** A Node without WebAssembly runs the hub as well, and counts the same. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { packet, sendTcp, until } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcessWith } from '../support/hub/hub-process.ts'
import { packAndInstall } from './installed.ts'

const LINES = 'jobs:3|m\njobs:4|m\nlevel:-7|g\ntook:12|h\ntook:900|h\nbad line\n'
const FRAMES = 3
const WANTED = [
  /^jobs_total\S* 7$/,
  /^level -7$/,
  /^took_hist_count 2$/,
  /^wallaroo_computation_messages_total.* 15$/,
  /^wallaroo_computation_id.* 1$/,
]

function sendFrames({ listeners }: HubProcess): void {
  const socket = connect(listeners.stream.port, listeners.stream.host)
  for (let i = 1; i <= FRAMES; i++) {
    const frame = metricsBytes({
      ...{ bins: { 9: '4', 20: '1' }, min_ns: '300', max_ns: '1000000' },
      end_ns: String(BigInt(Date.now()) * 1_000_000n),
    })
    socket.write(frame)
  }
  socket.end()
}

/** Reads what was counted, once all has come: the lines of /metrics that are not the hub's own. */
async function countedBy(hub: HubProcess): Promise<string[]> {
  const { host, port } = hub.listeners.http
  let counted: string[] = []
  await until(async () => {
    const text = await (await fetch(`http://${host}:${port}/metrics`)).text()
    counted = text.split('\n').filter((line) => /^(jobs|level|took|wallaroo)/.test(line))
    return WANTED.every((wanted) => counted.some((line) => wanted.test(line)))
  })
  return counted.toSorted()
}

test('lines, frames and a history without WebAssembly', { timeout: 120_000 }, async (t) => {
  const installed = await packAndInstall()
  t.after(() => rmSync(installed.folder, { recursive: true, force: true }))
  const program = join(installed.package, 'bin/pentameter.js')
  const counted: string[][] = []
  for (const execArgv of [[], ['--jitless']]) {
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-jitless-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const hub = await startHubProcessWith({ execArgv, program }, 'serve', '--history', folder)
    t.after(() => hub.stop())
    await sendTcp({ textPort: hub.listeners.text.port }, [packet(LINES)])
    sendFrames(hub)
    counted.push(await countedBy(hub))
    // beyond the moment from which a hub lets V8 optimize what is often done
    const untilMs = performance.now() + 4000
    while (performance.now() < untilMs) {
      await sendTcp({ textPort: hub.listeners.text.port }, [packet(LINES)])
    }
    const { code, log } = await hub.stop()
    assert.equal(code, 0, log)
    assert.doesNotMatch(log, /runs without|ReferenceError/)
  }
  assert.deepEqual(counted[1], counted[0])
})
