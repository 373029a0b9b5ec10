import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeRow } from '../../../../test/support/wallaroo-rows.ts'
import {
  greatest,
  inFlight,
  inOrder,
  isCompared,
  isSlow,
  matrixOf,
  siblingTimes,
  slowCells,
  type Worth,
  workersOf,
  worthOf,
} from './latency.ts'

const check = (worker: string, p99Ns: number | null, count?: number) =>
  fakeRow({ pipeline: 'Orders', worker, name: 'Check' }, p99Ns, count)

test('a row is as many times slower as its p99 is above the mean of its siblings', () => {
  const rows = [check('w1', 100_000), check('w2', 20_000_000), check('w3', 140_000)]
  const times = siblingTimes(rows)
  assert.equal(Math.round(times[1]!), 167)
  assert.deepEqual(
    rows.map((row, i) => isSlow(row, times[i]!, null)),
    [false, true, false],
  )
})

test('with a limit of its own every row above it is slow, also without siblings', () => {
  const row = check('w1', 20_000_000)
  assert.ok(isSlow(row, Number.NaN, 10_000_000))
  assert.ok(!isSlow(row, 500, 20_000_000))
  assert.ok(!isSlow(check('w1', null), Number.NaN, 1))
})

test('nothing is judged alone, without latencies, or on a few messages', () => {
  const slow = check('w2', 20_000_000)
  const first = (...rows: Parameters<typeof siblingTimes>[0]) => siblingTimes(rows)[0]!
  assert.ok(Number.isNaN(first(slow)))
  assert.ok(Number.isNaN(first(slow, check('w1', null))))
  assert.ok(Number.isNaN(first(slow, check('w1', 100_000, 99))))
  assert.ok(Number.isNaN(first(check('w2', 20_000_000, 99), check('w1', 100_000))))
  assert.ok(!isSlow(slow, Number.NaN, null))
  assert.ok(!isCompared(matrixOf([slow])))
})

test('the matrix tells equal names of two pipelines apart, in the order of their places', () => {
  const at = (pipeline: string, name: string, id: number) => ({
    ...fakeRow({ pipeline, name, worker: 'w1' }, 1000),
    id,
  })
  const matrix = matrixOf([
    at('Prices', 'Decode', 1),
    at('Orders', 'Match', 3),
    at('Orders', 'Check', 2),
    at('Orders', 'Decode', 1),
  ])
  assert.deepEqual(
    matrix.map(({ pipeline, name }) => `${pipeline} ${name}`),
    ['Orders Decode', 'Orders Check', 'Orders Match', 'Prices Decode'],
  )
})

test('the slowest against its siblings comes first, not the one with the largest latency', () => {
  const join = (worker: string, p99Ns: number) =>
    fakeRow({ pipeline: 'Orders', worker, name: 'Join' }, p99Ns)
  const matrix = matrixOf([
    ...[join('w1', 50e6), join('w2', 60e6)],
    ...[check('w1', 100_000), check('w2', 900_000)],
  ])
  const [first] = slowCells(matrix, null)
  assert.deepEqual(first?.row.key, {
    category: 'computation',
    pipeline: 'Orders',
    worker: 'w2',
    name: 'Check',
  })
  assert.deepEqual(slowCells([], null), [])
  assert.ok(isCompared(matrix))
  assert.deepEqual(
    slowCells(matrix, 1_000_000).map(({ row }) => row.latency.p99Ns),
    [60e6, 50e6],
  )
})

test('workers are by name; of more than fit, those where something is slow come first', () => {
  const rows = ['b', 'd', 'a', 'c'].map((worker) => check(worker, worker === 'd' ? 9e6 : 1e5))
  assert.deepEqual(workersOf(matrixOf(rows), 9), ['a', 'b', 'c', 'd'])
  const matrix = matrixOf([...rows, check('e', 1.5e5)])
  assert.deepEqual(workersOf(matrix, 9), ['d', 'a', 'b', 'c', 'e'])
  assert.deepEqual(workersOf(matrix, 1), ['d'])
  // a limit of the reader's own says who is slow
  assert.deepEqual(workersOf(matrix, 2, 1.2e5), ['d', 'e'])
})

test('what is in flight is messages per second times mean latency', () => {
  assert.ok(Math.abs(inFlight(check('w1', 50_000_000)) - 1) < 1e-12)
  assert.ok(Number.isNaN(inFlight(check('w1', null))))
})

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
