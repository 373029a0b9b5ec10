import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileName } from './save.ts'

test('names of series become names that every file system takes', () => {
  assert.equal(
    fileName('Rate of checkout.latency{route=/pay}', 'csv'),
    'Rate-of-checkout.latency-route-pay.csv',
  )
  assert.equal(fileName('../../etc/passwd', 'png'), 'etc-passwd.png')
  assert.equal(fileName('…', 'csv'), 'pentameter.csv')
  assert.equal([...fileName('👩'.repeat(4000) + 'ü'.repeat(4000), 'csv')].length, 84)
})
