import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { Polling, REFUSED_MS, restAfter, restAfterRefusal, type Visibility } from './polling.ts'

test('quick answers are asked for each second, slow ones at a third of the time', () => {
  assert.deepEqual([5, 400, 2000].map(restAfter), [1000, 1000, 4000])
  assert.equal(restAfter(60_000), 30_000)
})

test('a hub that is busy says itself when to come back, within bounds', () => {
  assert.equal(restAfterRefusal(undefined), REFUSED_MS)
  assert.deepEqual([0, 2000, 1e9].map(restAfterRefusal), [1000, 2000, 30_000])
})

const WORDS = { answer: 'words', refusal: undefined }

/** Lets time and promises go on. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let i = 0; i < 10; i += 1) await Promise.resolve()
}

function createPolling(context: TestContext): {
  polling: Polling
  asked: string[]
  page: FakePage
} {
  mock.timers.enable({ apis: ['setTimeout'] })
  context.after(() => mock.timers.reset())
  const asked: string[] = []
  const page = new FakePage()
  const get = async (path: string): Promise<unknown> => {
    asked.push(path)
    return 'words'
  }
  return { polling: new Polling({ get }, page), asked, page }
}

class FakePage implements Visibility {
  hidden = false
  readonly #listeners: (() => void)[] = []

  addEventListener(_: 'visibilitychange', listener: () => void): void {
    this.#listeners.push(listener)
  }

  setHidden(isHidden: boolean): void {
    this.hidden = isHidden
    for (const listener of this.#listeners) listener()
  }
}

test('all who show the same share one reading, and it ends with the last of them', async (t) => {
  const { polling, asked } = createPolling(t)
  const seen: unknown[] = []
  const endFirst = polling.read('/a', {}, (answered) => seen.push(answered))
  await pass(0)
  assert.deepEqual(seen, [WORDS])
  const late: unknown[] = []
  const endSecond = polling.read('/a', {}, (answered) => late.push(answered))
  assert.deepEqual(late, [WORDS], 'what is known is shown at once')
  endFirst()
  await pass(0)
  const before = asked.length
  await pass(1000)
  assert.equal(asked.length, before + 1)
  endSecond()
  await pass(5000)
  assert.equal(asked.length, before + 1)
  assert.equal(seen.length, 1)
})

test('a held picture is asked for once, and nothing while the page is hidden', async (t) => {
  const { polling, asked, page } = createPolling(t)
  polling.read('/held', { isHeld: true }, () => {})
  for (let i = 0; i < 3; i += 1) await pass(1000)
  assert.deepEqual(asked, ['/held'])
  page.setHidden(true)
  polling.read('/hidden', {}, () => {})
  await pass(1000)
  assert.deepEqual(asked, ['/held'])
  page.setHidden(false)
  await pass(0)
  assert.deepEqual(asked, ['/held', '/hidden'])
})
