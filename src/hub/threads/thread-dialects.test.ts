import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../dialects/index.ts'
import { THREAD_DIALECTS } from './thread-dialects.ts'

test('every dialect whose server only takes data is served by ingest threads', () => {
  const receiving = DIALECTS.filter(({ roles }) => roles.server === 'receive')
  assert.deepEqual(THREAD_DIALECTS, receiving)
})
