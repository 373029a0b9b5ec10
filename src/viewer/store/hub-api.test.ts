/** What the page asks of its hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHubApi } from './hub-api.ts'

test('what never comes is given up, whoever asked, and so is what nobody waits for', async (t) => {
  const limits: AbortController[] = []
  t.mock.method(AbortSignal, 'timeout', () => {
    const limit = new AbortController()
    limits.push(limit)
    return limit.signal
  })
  // an answer that stays under way until it is given up
  t.mock.method(globalThis, 'fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
  const api = createHubApi()
  const { signal } = new AbortController()
  const late = new DOMException('no answer in time', 'TimeoutError')
  const given = { fromMs: 0, toMs: 1000, stepMs: 1000 }
  for (const ask of [
    () => api.listSeries(),
    () => api.range({ series: [1], ...given }),
    () => api.setSeries('a', [1]),
    () => api.get('/sources', signal),
  ]) {
    const asked = ask()
    limits.at(-1)?.abort(late)
    await assert.rejects(asked, late)
  }
  const unneeded = new AbortController()
  const asked = api.get('/sources', unneeded.signal)
  unneeded.abort(new Error('left'))
  await assert.rejects(asked, /left/)
})
