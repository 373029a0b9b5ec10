import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerStatus, SourcesAnswer } from '../../../http/api.ts'
import { intervalWords, sourceStates } from './status.ts'

const NOW = 1_800_000_000_000

function stateOf(peer: Partial<PeerStatus> | undefined, rest: object = {}) {
  const base = { name: 'scope://plc:5001', dialect: 'scope', direction: 'attach', sinceMs: NOW }
  const facts = { intervalMs: 20, framing: 'framed', missed: 1200, dropped: 0 }
  const connection = { dialect: 'scope', peer: 'tcp plc:5001', openedBy: 'hub', sinceMs: 0, facts }
  const sources = {
    peers: peer === undefined ? [] : [{ ...base, source: 'plc:5001', ...peer }],
    connections: peer === undefined ? [] : [connection],
  } as unknown as SourcesAnswer
  const [state] = sourceStates({
    sources,
    names: ['plc:5001'],
    isHubLost: false,
    ageS: () => 0.1,
    timeoutS: () => 10,
    nowMs: NOW,
    ...rest,
  })
  return { ...state!, trouble: state!.trouble?.replaceAll('\u00a0', ' ') }
}

test('a connected exporter is online, with how it measures', () => {
  const { isOnline, facts, trouble } = stateOf({ state: 'connected' })
  assert.equal(isOnline, true)
  assert.equal(trouble, undefined)
  assert.deepEqual(
    facts.map((each) => each.replaceAll(/[\u00a0\u202f]/g, ' ')),
    ['20 ms, 50 Hz', 'framed', '1 200 missed, 0 dropped'],
  )
})

test('one that is not there says why, and when it is tried again', () => {
  const never = stateOf({ state: 'never', message: 'ECONNREFUSED', nextTryMs: NOW + 2600 })
  assert.equal(never.isOnline, false)
  assert.equal(
    never.trouble,
    'not reached yet: it refuses the connection; is it running? Next try in 3 s.',
  )
  assert.match(stateOf({ state: 'lost' }).trouble!, /^since \d\d:\d\d:\d\d\.$/)
})

test('one that is silent for longer than it may be is offline, though connected', () => {
  const silent = stateOf({ state: 'connected' }, { ageS: () => 12 })
  assert.deepEqual([silent.isOnline, silent.trouble], [false, 'no sample for 12 s'])
  assert.equal(stateOf({ state: 'connected' }, { ageS: () => 9 }).isOnline, true)
  assert.equal(stateOf({ state: 'connected' }, { ageS: () => undefined }).isOnline, true)
})

test('without the hub everything is offline; a sender that the hub listens to is online', () => {
  assert.equal(stateOf({ state: 'connected' }, { isHubLost: true }).isOnline, false)
  assert.equal(stateOf(undefined).isOnline, true)
})

test('intervals are stated both ways', () => {
  const words = [20, 100, 1000, 60_000, 3].map((ms) => intervalWords(ms).replaceAll('\u00a0', ' '))
  assert.deepEqual(words, [
    '20 ms, 50 Hz',
    '100 ms, 10 Hz',
    '1 s, 1 Hz',
    '1 min, 0.017 Hz',
    '3 ms, 333 Hz',
  ])
})
