import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembleFrontFilter } from '../../../../test/filters/front-filter.ts'
import { FRONT_FILTER_BASE64 } from './front-filter.ts'

test('the bytes of the demo filter are what its text assembles to', async () => {
  assert.equal(FRONT_FILTER_BASE64, await assembleFrontFilter())
})
