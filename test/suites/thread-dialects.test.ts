import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../src/dialects/index.ts'
import { THREAD_DIALECTS } from '../../src/hub/threads/thread-dialects.ts'

test('ingest threads serve every dialect of text whose server only takes data', () => {
  const receiving = DIALECTS.filter(({ roles, port }) => {
    return roles.server === 'receive' && port === 'text'
  })
  assert.deepEqual(THREAD_DIALECTS, receiving)
})
