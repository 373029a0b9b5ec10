import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { RefusedRequest } from './hub-api.ts'
import { Polling, type Visibility } from './polling.ts'

test('quick answers are asked for each second, slow ones at a third of the time', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  for (const [tookMs, restMs] of [
    [5, 1000],
    [400, 1000],
    [2000, 4000],
    [60_000, 30_000],
  ] as const) {
    const get = async (): Promise<unknown> => {
      nowMs += tookMs
      return 'words'
    }
    assert.equal(await restOf(t, get), restMs)
  }
})

test('a hub that is busy says itself when to come back, within bounds', async (t) => {
  for (const [retryAfterMs, restMs] of [
    [undefined, 5000],
    [0, 1000],
    [2000, 2000],
    [1e9, 30_000],
  ] as const) {
    const refused = new RefusedRequest('/a', 503, 'busy', retryAfterMs)
    assert.equal(await restOf(t, () => Promise.reject(refused)), restMs)
  }
  assert.equal(await restOf(t, () => Promise.reject(new TypeError('no connection'))), 5000)
})

/** Milliseconds between the first answer and the second request, in steps of 500. */
async function restOf(context: TestContext, get: () => Promise<unknown>): Promise<number> {
  mock.timers.enable({ apis: ['setTimeout'] })
  context.after(() => mock.timers.reset())
  let count = 0
  const counted = (): Promise<unknown> => {
    count += 1
    return get()
  }
  const end = new Polling({ get: counted }).read('/a', {}, () => {})
  await pass(0)
  await pass(0)
  let restMs = 0
  for (; count === 1 && restMs < 60_000; restMs += 500) await pass(500)
  end()
  await pass(0)
  mock.timers.reset()
  return restMs
}

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

test('who goes back finds what was there, of the paths that were left last', async (t) => {
  const { polling } = createPolling(t)
  for (const path of ['/a', '/b', '/c', '/d', '/e']) {
    const end = polling.read(path, {}, () => {})
    await pass(0)
    end()
  }
  const found = ['/a', '/b', '/e'].map((path) => {
    const seen: unknown[] = []
    polling.read(path, {}, (answered) => seen.push(answered))()
    return seen
  })
  assert.deepEqual(found, [[], [WORDS], [WORDS]])
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
