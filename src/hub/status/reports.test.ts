import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packet, sendTcp, sendUdp, startHub } from '../../../test/support/hub/hub.ts'
import type { ErrorStatus } from './status.ts'

const header = ({ length }: Buffer): Buffer => Buffer.from(`1|${length}\n`)

test('errors are counted by code, and the last twenty offenders are kept in part', async () => {
  const started = await startHub()
  const { hub } = started
  const long = `bad${'x'.repeat(500)}`
  const body = `${Array.from({ length: 30 }, (_, i) => `${long}${i}`).join('\n')}\nok:1|m\n`
  await sendUdp(started, [packet(body)])
  const [error] = hub.sources().errors
  assert.deepEqual([error!.dialect, error!.code, error!.count], ['statshero', 'parse_error', 30])
  assert.equal(error!.last.length, 20)
  for (const { hex, peer } of error!.last) {
    assert.equal(hex.length <= 256, true)
    assert.match(peer, /^udp 127\.0\.0\.1:\d+$/)
  }
  const { dialects, sources } = hub.sources()
  assert.equal(dialects[0]!.errors, 30)
  started.clock.advance(1000)
  assert.equal(hub.sources().sources[0]!.errors, 30)
  assert.equal(sources.length, 0)
  await hub.stop()
})

test('of many offenders in one body the last twenty are kept, with their bytes', async () => {
  const started = await startHub()
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i}`)
  await sendUdp(started, [packet(`${lines.join('\n')}\n`), packet('x'), packet('a:1|m\n')])
  const [error] = started.hub.sources().errors
  assert.equal(error!.count, 51)
  const texts = error!.last.map(({ hex }) => Buffer.from(hex, 'hex').toString())
  assert.deepEqual(texts, [...lines.slice(31), 'x'])
  assert.deepEqual(error!.last.at(-2)!.offset, '1|389\n'.length + lines.join('\n').length - 7)
  await started.hub.stop()
})

test('the wrong byte is told within the excerpt, wherever a line stands', async () => {
  const started = await startHub()
  const zipped = gzipSync('a:1|m\nzipped:1.5|m\n')
  const datagram = packet('good:1|m\nfirst:1.5|m\na:1|m\n')
  const long = `${'x'.repeat(200)}:1.5|m\n`
  await sendUdp(started, [datagram, packet(long), Buffer.concat([header(zipped), zipped])])
  const cut = packet('good:1|m\ncut:1.5|m\n')
  const frames = [packet('a:1|m\n'), packet('framed:1.5|m\n'), cut.subarray(0, 8), cut.subarray(8)]
  await sendTcp(started, frames)
  const [{ last }] = started.hub.sources().errors as [ErrorStatus]
  const marked = last.map(({ hex, hexOffset }) => {
    const text = Buffer.from(hex, 'hex').toString()
    return hexOffset === undefined ? undefined : [text.slice(0, hexOffset), text.slice(hexOffset)]
  })
  assert.deepEqual(marked, [
    ['first:', '1.5|m'],
    undefined,
    ['zipped:', '1.5|m'],
    ['framed:', '1.5|m'],
    ['cut:', '1.5|m'],
  ])
  assert.equal(last[0]!.offset, '1|28\ngood:1|m\nfirst:'.length)
  await started.hub.stop()
})

test('good, bad, good: neighbours count for every kind of bad line and packet', async () => {
  const started = await startHub()
  const { hub } = started
  const bad = ['bad', ':1|m', 'b:1.5|m', 'b:1|zz', 'b:1|m|@1']
  for (const line of bad) await sendUdp(started, [packet(`a:1|m\n${line}\na:1|m\n`)])
  for (const datagram of ['1|99\na:1|m\n', '1|x\na:1|m\n', '1|4\n\x1f\x8bxx']) {
    await sendUdp(started, [packet('a:1|m\n'), Buffer.from(datagram, 'latin1'), packet('a:1|m\n')])
  }
  await sendTcp(started, [packet('a:1|m\n'), Buffer.from('2|6\na:9|m\n'), packet('a:1|m\n')])
  const total = [...hub.series].find(({ identity }) => identity.name === 'a')!
  assert.deepEqual(hub.total(total), { kind: 'counter', total: 18, decrements: 0 })
  const codes = hub.sources().errors.map(({ code, count }) => `${code} ${count}`)
  assert.deepEqual(codes.sort(), [
    'bad_gzip 1',
    'bad_length 1',
    'bad_sample_rate 1',
    'bad_value 1',
    'bad_version 1',
    'empty_key 1',
    'length_mismatch 1',
    'parse_error 1',
    'unknown_type 1',
  ])
  await hub.stop()
})
