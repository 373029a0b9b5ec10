import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { type Log, limitLog } from '../log.ts'
import { runNow } from '../tasks/task.ts'
import { PeerLog } from './peer-log.ts'
import type { PeerStatus } from './status.ts'

const PEER: PeerStatus = {
  ...{ name: 'scope://a:1', dialect: 'scope', direction: 'attach', state: 'never', sinceMs: 0 },
}

/** A log under the limit that all lines share, and what was written. */
function limited(clock: FakeClock): { log: Log; lines: string[] } {
  const lines: string[] = []
  const log = limitLog((_level, message, facts) => {
    lines.push(`${message} ${JSON.stringify(facts)}`)
  }, clock)
  return { log, lines }
}

test('every change of a peer is told, whatever was held back of others', () => {
  const { log, lines } = limited(new FakeClock())
  for (let i = 0; i < 50; i++) log('warn', 'peer lost', { peer: i })
  lines.length = 0
  let peer = PEER
  const watch = new PeerLog(() => [peer], log)
  const told = (next: Partial<PeerStatus>): readonly string[] => {
    peer = { ...PEER, ...next }
    runNow(watch.beforeClose(1000))
    return lines.splice(0)
  }
  const about = '"peer":"scope://a:1","dialect":"scope","direction":"attach"'
  assert.deepEqual(told({}), [])
  const refused = { message: 'connect ECONNREFUSED', nextTryMs: 5000 }
  const why = '"reason":"connect ECONNREFUSED","nextTry":"1970-01-01T00:00:05.000Z"'
  assert.deepEqual(told(refused), [`peer not reached {${about},${why}}`])
  assert.deepEqual(told({ ...refused, nextTryMs: 9000 }), [])
  assert.deepEqual(told({ state: 'connected', sinceMs: 10 }), [`peer connected {${about}}`])
  const lost = { ...refused, state: 'lost', sinceMs: 20 } as const
  assert.deepEqual(told(lost), [`peer lost {${about},${why}}`])
  assert.deepEqual(told(lost), [])
  assert.deepEqual(told({ ...lost, sinceMs: 30 }), [
    `peer was back, and is lost again {${about},${why}}`,
  ])
  assert.deepEqual(told({ state: 'connected', sinceMs: 40 }), [`peer connected {${about}}`])
  const back = `peer was lost, and is back {${about}}`
  assert.deepEqual(told({ state: 'connected', sinceMs: 50 }), [back])
})

test('a place at which peers may dial is none that has connected', () => {
  const lines: string[] = []
  const place: PeerStatus = { ...PEER, name: 'dotnet:///run/port,listen', state: 'connected' }
  const told = new PeerLog(
    () => [{ ...place, isListening: true }],
    (level, message) => lines.push(`${level} ${message}`),
  )
  runNow(told.beforeClose(1000))
  runNow(told.beforeClose(2000))
  assert.deepEqual(lines, ['info peers may connect'])
})

test('of ten thousand peers the first are told each, all others as numbers', () => {
  const { log, lines } = limited(new FakeClock())
  let state: PeerStatus['state'] = 'connected'
  const peers = (): PeerStatus[] =>
    Array.from({ length: 10_000 }, (_, i) => ({ ...PEER, name: `p${i}`, state, sinceMs: 1 }))
  const watch = new PeerLog(peers, log)
  runNow(watch.beforeClose(0))
  assert.equal(lines.length, 21)
  assert.equal(
    lines.at(-1),
    'further peers changed {"count":9980,"connected":9980,"first":["p20","p21","p22"]}',
  )
  for (let second = 1; second < 60; second++) {
    state = state === 'lost' ? 'connected' : 'lost'
    runNow(watch.beforeClose(1000 * second))
  }
  assert.equal(lines.length, 200 + 60)
  state = state === 'lost' ? 'connected' : 'lost'
  runNow(watch.beforeClose(60_000))
  assert.equal(lines.length, 260 + 21)
})
