/** Answers end when what they tell is durable, for scrapers that say how long they wait. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../../test/support/http-client.ts'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { HTTP_LIMITS } from '../../limits.ts'

async function start(t: TestContext, series: number, limits = {}) {
  const hub = new FakeHubView()
  for (let i = 0; i < series; i++) hub.count(hub.add({ name: `hits.${i}`, kind: 'counter' }), 1)
  const asked: { readonly limitMs: number; readonly end: (isReached: boolean) => void }[] = []
  const reach = (limitMs: number): Promise<boolean> => {
    return new Promise((end) => asked.push({ limitMs, end }))
  }
  Object.assign(hub, { durable: { isKept: true, reach } })
  const server = await serve(t, { view: hub, limits: { ...HTTP_LIMITS, ...limits } })
  const scrape = (timeoutS?: string, headers = {}) => {
    const own = { 'X-Prometheus-Scrape-Timeout-Seconds': timeoutS! }
    return server.ask('/metrics', {
      headers: { ...(timeoutS === undefined ? {} : own), ...headers },
    })
  }
  return { asked, server, scrape }
}

for (const [size, series] of [
  ['short', 1],
  ['long', 5000],
] as const) {
  test(`the end of a ${size} answer waits for the disk`, async (t) => {
    const { asked, server, scrape } = await start(t, series)
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      let isAnswered = false
      const answer = scrape('10', headers)
      void answer.then(() => {
        isAnswered = true
      })
      await until(() => asked.length === 1)
      assert.equal(isAnswered, false)
      const [{ limitMs, end }] = asked.splice(0) as [(typeof asked)[0]]
      assert.equal(limitMs, 7500)
      end(true)
      const { bytes } = await answer
      assert.ok(bytes.length > 0)
    }
    assert.ok(!server.counted.includes('scrapes not_durable'))
  })
}

test('a scraper that does not say how long it waits gets its answer at once', async (t) => {
  const { asked, scrape } = await start(t, 5000)
  for (const timeoutS of [undefined, '', 'soon', '-1', '0', 'NaN']) {
    assert.match((await scrape(timeoutS)).text, /hits_4999_total/)
  }
  assert.deepEqual(asked, [])
})

test('an answer that can not be durable in time ends all the same, and is counted', async (t) => {
  const { asked, server, scrape } = await start(t, 1)
  const answer = scrape('3600')
  await until(() => asked.length === 1)
  assert.equal(asked[0]!.limitMs, 15_000)
  asked[0]!.end(false)
  assert.match((await answer).text, /hits_0_total/)
  assert.ok(server.counted.includes('scrapes not_durable'))
})

test('answers that wait for the disk take no place from others', async (t) => {
  const { asked, server, scrape } = await start(t, 5000, { answersLimit: 1 })
  const held = [scrape('10'), scrape('10'), scrape('10')]
  await until(() => asked.length === 3)
  assert.match((await scrape()).text, /hits_4999_total/)
  for (const { end } of asked) end(true)
  for (const answer of held) assert.match((await answer).text, /hits_4999_total/)
  assert.ok(!server.counted.some((each) => /refused|answers_cut/.test(each)))
})
