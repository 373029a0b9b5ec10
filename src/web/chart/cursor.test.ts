import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Cursor } from './cursor.ts'

const AXIS = { from: 1000, to: 1060, left: 10, right: 130 }

/** A page with one chart; moves the pointer over it and tells where the cursor is. */
function pointer(context: TestContext): (x: number | null) => number | null {
  class FakeCanvas {}
  const listeners = new Map<string, (event: unknown) => void>()
  const page = {
    addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    removeEventListener: (type: string) => listeners.delete(type),
    toggleAttribute: () => {},
  }
  const root = { ...page, documentElement: page }
  Object.assign(globalThis, { document: root, HTMLCanvasElement: FakeCanvas })
  context.after(() => {
    unfollow()
    assert.equal(listeners.size, 0)
    for (const name of ['document', 'HTMLCanvasElement']) Reflect.deleteProperty(globalThis, name)
  })
  const cursor = new Cursor()
  const canvas = new FakeCanvas()
  cursor.setAxis(canvas as Element, AXIS)
  const unfollow = cursor.follow(root as unknown as Document)
  return (x) => {
    if (x === null) listeners.get('pointerleave')!({})
    else listeners.get('pointermove')!({ target: canvas, offsetX: x })
    return cursor.second.peek()
  }
}

test('the cursor stands on a whole second, and is gone where the pointer leaves', (context) => {
  const point = pointer(context)
  assert.equal(point(70), 1030)
  assert.equal(point(71.3), 1031)
  assert.equal(point(null), null)
})

test('beyond the edges of a chart the cursor stays at its first and last second', (context) => {
  const point = pointer(context)
  assert.equal(point(-40), 1000)
  assert.equal(point(500), 1060)
})
