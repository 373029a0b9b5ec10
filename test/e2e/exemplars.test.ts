/** An exemplar on its whole way: a program, OTLP, a hub, its API and its own exposition. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'
import { startHub } from '../../src/start-hub.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('what a program marks by its trace is in API and OpenMetrics of the hub', async (t) => {
  const hub = await startHub({ config: { httpPort: 0, textPort: 0, streamPort: 0 } })
  t.after(() => hub.close())
  const { port } = hub.addresses.http!
  const metrics = new Metrics(new CounterRegistry())
  t.after(() => metrics.close())
  const times = metrics.histogram('shop.times', { unit: 'ms' })
  const orders = metrics.counter('shop.orders')
  const connection = metrics.connect(`pentameter://127.0.0.1:${port}`, {
    ...{ intervalMs: 86_400_000, log: () => {} },
  })
  assert.equal(await connection.flush(), true)
  times.record(12.5, { trace_id: TRACE, span_id: SPAN, cart: '7' })
  times.record(3)
  orders.add(2, { trace_id: TRACE })
  assert.equal(await connection.flush(), true)

  const url = `http://127.0.0.1:${port}`
  const list = (await (await fetch(`${url}/api/v1/series?filter=shop`)).json()) as {
    series: { id: number; name: string }[]
  }
  const exemplarsOf = async (name: string) => {
    const { id } = list.series.find((series) => series.name === name)!
    const answer = await fetch(`${url}/api/v1/series/${id}/exemplars`)
    const { exemplars } = (await answer.json()) as {
      exemplars: { value: number; timeMs: number; labels: [string, string][] }[]
    }
    return exemplars
  }
  const [slow, ...others] = await exemplarsOf('shop.times')
  assert.deepEqual(others, [])
  assert.deepEqual(
    [slow!.value, slow!.labels],
    [
      12.5,
      [
        ['cart', '7'],
        ['span_id', SPAN],
        ['trace_id', TRACE],
      ],
    ],
  )
  assert.equal((await exemplarsOf('shop.orders')).length, 1)

  const accept = 'application/openmetrics-text;version=1.0.0'
  const text = await (await fetch(`${url}/metrics`, { headers: { accept } })).text()
  const marked = text.split('\n').filter((line) => line.includes(' # {'))
  assert.equal(marked.length, 2)
  const bucket = marked.find((line) => line.includes('_bucket'))!
  assert.match(bucket, /le="16"|le="0\.016"/)
  assert.ok(bucket.includes(` # {cart="7",span_id="${SPAN}",trace_id="${TRACE}"} `))
  const counter = marked.find((line) => line.startsWith('shop_orders_total'))!
  assert.ok(counter.includes(` 2 # {trace_id="${TRACE}"} 2 ${slow!.timeMs > 0 ? '' : '-'}`))
  const plain = await (await fetch(`${url}/metrics`)).text()
  assert.doesNotMatch(plain, / # \{/)
})
