import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { cpuPercent, loopPercent, percent, readMemory, readResources } from './readings.ts'

test('processor time is a share of all processors, by mode and together', () => {
  const before = { user: 10, system: 4, atS: 100 }
  const cores = availableParallelism()
  const after = { user: 10 + 0.5 * cores, system: 4 + 0.25 * cores, atS: 102 }
  assert.equal(cpuPercent(before, after, 'user'), 25)
  assert.equal(cpuPercent(before, after, 'system'), 12.5)
  assert.equal(cpuPercent(before, after, 'user', 'system'), 37.5)
})

test('a share of no time is no value, and rounding leaves none outside of 0 to 100', () => {
  assert.equal(percent(1, 0), undefined)
  assert.equal(percent(0, 0), undefined)
  assert.equal(percent(1.0001, 1), 100)
  assert.equal(percent(-0.0001, 1), 0)
})

test('utilisation is the active part of the time between two readings', () => {
  assert.equal(loopPercent({ idle: 100, active: 50 }, { idle: 400, active: 150 }), 25)
  assert.equal(loopPercent({ idle: 1, active: 1 }, { idle: 1, active: 1 }), undefined)
})

test('resources are told apart by what Node calls them', () => {
  const names = [
    ...['Timeout', 'Timeout', 'Immediate'],
    ...['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'TCPConnectWrap', 'WriteWrap'],
    ...['TCPServerWrap', 'TCPSocketWrap', 'PipeWrap', 'ProcessWrap', 'TTYWrap', 'MessagePort'],
  ]
  assert.deepEqual(readResources(names), { timers: 3, requests: 5, handles: 6 })
})

test('memory is what the system and V8 say of this process', () => {
  const { rss, heap, external, arrayBuffers } = readMemory()
  assert.ok(rss > heap.used_heap_size)
  assert.ok(heap.used_heap_size <= heap.heap_size_limit)
  assert.ok(external >= 0 && arrayBuffers >= 0)
})
