import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilterOutcome, Headers } from '../host/stream/exchange.ts'
import { listenForRequests } from './web-requests.ts'

const EMPTY = { headers: [], body: new Uint8Array(0), trailers: [] } as const

/** What a client gets where the filter left the response so. */
async function answerTo(status: number, headers: Headers): Promise<[number, string]> {
  const response = { ...EMPTY, headers, body: new TextEncoder().encode('ok') }
  const outcome: FilterOutcome = {
    verdict: 'completed',
    status,
    request: EMPTY,
    response,
    reason: '',
  }
  const web = await listenForRequests(0, () => Promise.resolve(outcome))
  try {
    const answer = await fetch(`http://127.0.0.1:${web.port}/`)
    return [answer.status, await answer.text()]
  } finally {
    await web.close()
  }
}

test('a status that cannot end an exchange is the filter’s mistake: 502', async () => {
  for (const status of [0, 7, 100, 101, 99_999]) {
    const text = `the filter answered with status ${status}\n`
    assert.deepEqual(await answerTo(status, []), [502, text])
  }
  assert.deepEqual(await answerTo(404, []), [404, 'ok'])
})

test('the length that a filter states is not believed, however it is written', async () => {
  assert.deepEqual(await answerTo(200, [['Content-Length', '99999']]), [200, 'ok'])
})
