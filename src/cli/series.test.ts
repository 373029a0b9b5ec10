/** `pentameter series delete` as a person or a script runs it, against a real hub. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { packet, until } from '../../test/support/hub/hub.ts'
import { PROGRAM, startHubProcess } from '../../test/support/hub/hub-process.ts'
import type { SeriesPage } from '../http/api.ts'

const BODY = 'request.a:1|m\nrequest.b:2|m\nother:3|m\n'
const SENT = ['other', 'request.a', 'request.b']

test('a pattern is counted, and deleted once --yes says so', async (t) => {
  const { url, names } = await startSeries(t)
  const run = (...flags: string[]): Promise<Ended> =>
    deleteSeries('request.*', '--hub', new URL(url).host, ...flags)
  const counted = { status: 0, stdout: '2 series match request.*\n', stderr: '' }
  assert.deepEqual(await run('--dry-run'), counted)
  assert.deepEqual(await run('--dry-run', '--yes'), counted)
  const unasked = { ...counted, status: 2, stderr: 'pentameter: add --yes to delete them\n' }
  assert.deepEqual(await run(), unasked, 'no terminal to ask at')
  assert.deepEqual(await names(), SENT)

  assert.deepEqual(await run('--yes'), { ...counted, stdout: '2 series deleted\n' })
  assert.deepEqual(await names(), ['other'])
  const none = { ...counted, stdout: '0 series match request.*\n' }
  assert.deepEqual(await run(), none, 'there is nothing to ask')
})

test('the hub’s own series stay, and are told of', async (t) => {
  const { url, names } = await startSeries(t)
  const { status, stdout } = await deleteSeries('pentameter.*', '--hub', url, '--yes')
  assert.match(stdout, /^0 series deleted; [1-9]\d* of the hub's own or of filters stay\n$/)
  assert.equal(status, 0)
  assert.deepEqual(await names(), SENT)
})

test('a hub that is not there is named', async () => {
  const { status, stderr } = await deleteSeries('a', '--hub', 'http://127.0.0.1:1', '--yes')
  assert.match(stderr, /^pentameter: no answer from http:\/\/127\.0\.0\.1:1: /)
  assert.equal(status, 1)
})

test('an address that is none is wrong usage', async () => {
  const { status, stderr } = await deleteSeries('a', '--hub', 'hub:port', '--yes')
  assert.match(stderr, /want HOST:PORT or http:\/\/HOST:PORT/)
  assert.equal(status, 2)
})

interface Served {
  readonly url: string
  /** Reads the names of all series but the hub's own, in order. */
  names(): Promise<string[]>
}

/** Starts a hub and waits until it has the series of one packet. */
async function startSeries(context: TestContext): Promise<Served> {
  const hub = await startHubProcess('serve')
  context.after(() => hub.stop())
  const { http, text: udp } = hub.listeners
  const url = `http://127.0.0.1:${http.port}`
  const names = async (): Promise<string[]> => {
    const { series } = (await (await fetch(`${url}/api/v1/series`)).json()) as SeriesPage
    return series.flatMap(({ dialect, name }) => (dialect === 'hub' ? [] : [name])).sort()
  }
  const sender = createSocket('udp4')
  sender.send(packet(BODY), udp.port, udp.host, () => sender.close())
  await until(async () => (await names()).length === SENT.length)
  return { url, names }
}

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

async function deleteSeries(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'series', 'delete', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await output
  return { status, stdout, stderr }
}
