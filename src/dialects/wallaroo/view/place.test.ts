import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_PLACE, type Place } from './address.ts'
import { categoryOf, crumbsOf, siblingsOf, upFrom, whatWords, whyFixedWindow } from './place.ts'

const at = (part: Partial<Place>): Place => ({ ...NO_PLACE, application: 'spread', ...part })

test('the levels tell what is measured, unless a category is named', () => {
  assert.equal(categoryOf(at({ pipeline: 'Orders' })), 'start-to-end')
  assert.equal(categoryOf(at({ pipeline: 'Orders', worker: 'w2' })), 'start-to-end')
  assert.equal(categoryOf(at({ worker: 'w2' })), 'node-ingress-egress')
  assert.equal(categoryOf(at({ worker: 'w2', name: 'Check' })), 'computation')
  assert.equal(categoryOf(at({ worker: 'w2', category: 'queueing' })), 'queueing')
})

test('the same on all workers is of the same category', () => {
  const onWorker = at({ pipeline: 'Orders', worker: 'w2', category: 'node-ingress-egress' })
  assert.deepEqual(siblingsOf(onWorker), { ...onWorker, worker: null })
  const computation = at({ pipeline: 'Orders', worker: 'w2', name: 'Check' })
  assert.deepEqual(siblingsOf(computation), at({ pipeline: 'Orders', name: 'Check' }))
  assert.equal(categoryOf(siblingsOf(at({ worker: 'w2' }))), 'node-ingress-egress')
})

test('a window is chosen of every place but an overview', () => {
  assert.match(whyFixedWindow(at({})) ?? '', /of its last 5 minutes$/)
  assert.match(whyFixedWindow(NO_PLACE) ?? '', /of its last 5 minutes$/)
  assert.equal(whyFixedWindow(at({ pipeline: 'Orders' })), undefined)
  assert.equal(whyFixedWindow(at({ worker: 'w2' })), undefined)
})

test('crumbs name every level, and say "all" for one that is skipped', () => {
  const crumbs = crumbsOf(at({ pipeline: 'Orders', name: 'Check' }))
  assert.deepEqual(
    crumbs.map(({ words }) => words),
    ['Wallaroo', 'spread', 'Orders', 'all', 'Check'],
  )
  assert.deepEqual(crumbs[0]!.place, NO_PLACE)
  assert.deepEqual(crumbs[2]!.place, at({ pipeline: 'Orders' }))
  assert.equal(crumbs[4]!.place, undefined)
})

test('going up ends at the list of applications', () => {
  const words: string[] = []
  let place: Place | undefined = at({ pipeline: 'Orders', worker: 'w2', name: 'Check' })
  for (; place !== undefined; place = upFrom(place)) words.push(crumbsOf(place).at(-1)!.words)
  assert.deepEqual(words, ['Check', 'w2', 'Orders', 'spread', 'Wallaroo'])
})

test('a place says what it is', () => {
  const pipeline = 'Orders'
  assert.equal(whatWords(at({ pipeline })), 'Pipeline')
  assert.equal(whatWords(at({ worker: 'w2' })), 'Worker')
  assert.equal(whatWords(at({ pipeline, worker: 'w2' })), 'Worker w2, pipeline Orders')
  assert.equal(
    whatWords(at({ pipeline, worker: 'w2', name: 'Check' })),
    'Computation on w2, pipeline Orders',
  )
  assert.equal(whatWords(at({ name: 'Check' })), 'Computation, all pipelines')
})
