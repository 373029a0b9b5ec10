import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeRow } from '../../../../test/support/wallaroo-rows.ts'
import { greatest, inOrder, type Worth, worthOf } from './in-order.ts'

const rows: readonly (Worth & { name: string })[] = [
  { name: 'a', times: Number.NaN, p99: 5, rate: 1 },
  { name: 'b', times: 1, p99: 9, rate: Number.NaN },
  { name: 'c', times: 40, p99: 2, rate: 3 },
  { name: 'd', times: Number.NaN, p99: 7, rate: 3 },
]

const names = (order: Parameters<typeof inOrder>[1]): string =>
  inOrder(rows, order, (row) => row)
    .map(({ name }) => name)
    .join('')

test('rows stand as they came, or by what is asked for, with the unknown last', () => {
  assert.equal(names('place'), 'abcd')
  assert.equal(names('slow'), 'cbda')
  assert.equal(names('p99'), 'bdac')
  assert.equal(names('rate'), 'dcab')
})

test('a computation stands where its greatest cell does', () => {
  assert.deepEqual(greatest(rows), { times: 40, p99: 9, rate: 3 })
  const none = greatest([worthOf(fakeRow({}, null), Number.NaN)])
  assert.ok(Number.isNaN(none.times) && Number.isNaN(none.p99))
  assert.equal(none.rate, 20)
})
