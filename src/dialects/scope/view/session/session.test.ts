import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { signal } from '@preact/signals-core'
import type { Page } from '../../../../web/shell/page.ts'
import { SCOPE, type ScopeState } from '../address.ts'
import { ScopeSession } from './session.ts'

const NOW_MS = Date.UTC(2026, 5, 11, 14, 3, 22)

// what a browser has and Node has not
const media = { matches: false, addEventListener() {}, removeEventListener() {} }
Object.assign(globalThis, { matchMedia: () => media, requestAnimationFrame: () => 0 })
Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => null } })

/** The part of a page that a board without lines needs. */
function fakePage() {
  let state: ScopeState = SCOPE.standard
  const store = {
    catalogue: { version: signal(0), entries: [] },
    clock: { tick: signal(0), nowMs: () => NOW_MS },
    sources: signal(undefined),
    screen: { carry() {}, areIdsUnsure: false },
    tap: () => () => {},
    isStale: () => false,
  }
  const navigation = {
    go: (to: { change: object }) => {
      state = { ...state, ...to.change }
    },
    state: () => state,
  }
  return { store, navigation, announce() {} } as unknown as Page
}

/** Opens a link. @returns the end of its picture and of what the link says then, Unix ms */
async function endsOf(t: TestContext, at: string): Promise<(number | null)[]> {
  const state = SCOPE.parse('', new URLSearchParams({ at }))!
  const session = new ScopeSession(fakePage(), state)
  t.after(() => session.close())
  await Promise.resolve()
  const { board, shown } = session
  assert.equal(board.state, 'paused')
  return [board.originMs + board.span.zero * 1000, shown.atMs]
}

test('what a link says wrongly is noted, and each note is dismissed for itself', (t) => {
  const query = new URLSearchParams({ sma: 'broken', 'y-range': 'wrong' })
  const session = new ScopeSession(fakePage(), SCOPE.parse('', query)!)
  t.after(() => session.close())
  const [first, second, ...others] = session.notes.peek()
  assert.deepEqual([first, second, ...others].map((note) => note?.replace(/”.*/, '')).sort(), [
    '“sma=broken',
    '“y-range=wrong',
  ])
  session.dismissNote(second!)
  assert.deepEqual(session.notes.peek(), [first])
})

test('a link to a time that has been holds the picture of then', async (t) => {
  assert.deepEqual(await endsOf(t, '2026-06-11T14:00:00.000Z'), Array(2).fill(NOW_MS - 202_000))
})

test('a link to a time to come holds the last picture that there is', async (t) => {
  assert.deepEqual(await endsOf(t, '2040-01-01T00:00:00.000Z'), [NOW_MS, NOW_MS])
})
