import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHub } from '../../../test/support/hub/hub.ts'
import { runNow } from '../tasks/task.ts'
import { Descriptors } from './descriptors.ts'

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
