import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHub } from '../../../test/support/hub/hub.ts'
import { runNow } from '../tasks/task.ts'
import { Descriptors, fitToDescriptors } from './descriptors.ts'

test('says once that no descriptor is left, counts the seconds, says when it is over', async () => {
  const { hub } = await startHub()
  const log: unknown[] = []
  let code: string | undefined
  const descriptors = new Descriptors({
    metrics: hub.metrics,
    log: (level, message, facts) => log.push([level, message, facts]),
    probe: () => {
      if (code !== undefined) throw Object.assign(new Error(code), { code })
    },
  })
  const second = (seconds = 1) => runNow(descriptors.beforeClose(0, seconds))
  second()
  code = 'EMFILE'
  second()
  second(2)
  code = 'ENOENT'
  second()
  second()
  assert.deepEqual(log, [
    [
      'error',
      'no file descriptor is left: connections are closed unserved',
      { code: 'EMFILE', hint: 'ulimit -n' },
    ],
    ['warn', 'there are file descriptors again', { seconds: 3 }],
  ])
  const counter = hub.metrics.counter('pentameter.descriptors.exhausted', { reason: 'EMFILE' })
  assert.equal(counter.value, 3)
  await hub.stop()
})

const WISHED = { connectionsLimit: 1000, httpConnections: 1024 }

test('places for connections are what the descriptors allow, by the same part of each', () => {
  const told: unknown[] = []
  const places = (limit: number | undefined) => {
    const log = (...line: unknown[]) => told.push(line)
    return fitToDescriptors(WISHED, { listeners: 2, threads: 2 }, log, limit)
  }
  assert.equal(places(undefined), WISHED)
  assert.equal(places(4096), WISHED)
  assert.deepEqual(told, [])
  const fewer = { connectionsLimit: 330, httpConnections: 338 }
  assert.deepEqual(places(1072), fewer)
  const message = 'the process may open few files: fewer connections are taken'
  assert.deepEqual(told, [['warn', message, { files: 1072, hint: 'ulimit -n', ...fewer }]])
  // some, however few there are
  assert.deepEqual(places(64), { connectionsLimit: 4, httpConnections: 4 })
})
