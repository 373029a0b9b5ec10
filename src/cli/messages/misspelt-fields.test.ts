import assert from 'node:assert/strict'
import { test } from 'node:test'
import { misspeltFields } from './misspelt-fields.ts'

interface Fields {
  readonly key?: string
  readonly labels?: Record<string, string>
  readonly points?: readonly { readonly value?: number; readonly time?: number }[]
}

/** Encodes as a dialect does: asks for what it knows, throws where something is missing. */
function encode(messages: readonly unknown[]): void {
  for (const message of messages) {
    const { key, labels = {}, points = [] } = message as Fields
    if (key === undefined) throw new RangeError('a key is needed')
    for (const name of Object.keys(labels)) void labels[name]
    for (const point of points) {
      void point.value
      void ('time' in point)
    }
  }
}

test('a field under another name is found beside the one that was looked for', () => {
  const fields = (message: unknown) =>
    misspeltFields([message], encode).map(({ field, meant }) => `${field} ${meant}`)
  assert.deepEqual(fields({ ky: 'a' }), ['ky key'])
  assert.deepEqual(fields({ key: 'a', lables: {} }), ['lables labels'])
  assert.deepEqual(fields({ key: 'a', points: [{ value: 1 }, { valeu: 1, tiem: 2 }] }), [
    'valeu value',
    'tiem time',
  ])
})

test('a field is not misspelt where none like it is missing, nor where all are read', () => {
  const fields = (message: unknown) => misspeltFields([message], encode)
  assert.deepEqual(fields({ key: 'a', kex: 'b' }), [])
  assert.deepEqual(fields({ key: 'a', remark: 'what decode prints besides' }), [])
  assert.deepEqual(fields({ key: 'a', labels: { label: 'b', labelz: 'c' } }), [])
  assert.deepEqual(fields('text'), [])
})
