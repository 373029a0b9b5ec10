/**
 * A history in an engine: what hubs wrote is read back, and an engine that lies, refuses or hangs
 * costs nothing but the answer.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, suite, test } from 'node:test'
import { startReport } from '../../src/cli/start-report.ts'
import { engineAddress } from '../../src/history/promql/address.ts'
import { PromqlHistory } from '../../src/history/promql/promql-history.ts'
import { NAME_LABEL } from '../../src/history/promql/written.ts'
import { HistoryError } from '../../src/history/store.ts'
import { identityOf } from '../../src/model/index.ts'
import { startHub } from '../../src/start-hub.ts'
import { historyReadingSuite } from '../suites/history.ts'
import { START_S } from '../support/history.ts'
import { FakeEngine } from '../support/outputs/fake-engine.ts'
import { freePort } from '../support/outputs/prometheus.ts'
import { writtenHistory } from '../support/outputs/written-history.ts'
import { FREE_PORTS } from '../support/ports.ts'

suite('a history that is read from an engine', () => {
  const engines: FakeEngine[] = []
  after(() => Promise.all(engines.map((engine) => engine.stop())))
  historyReadingSuite(async () => {
    const engine = await FakeEngine.start()
    engines.push(engine)
    return writtenHistory(engine.url, START_S)
  })
})

const KEY = new Uint8Array(1)
const SERIES = { kind: 'counter', name: 'a_total', labels: [], shift: 0 } as const
const READ = { groups: [[KEY]], fromS: START_S, toS: START_S + 60, stepS: 1 }

function historyOf(engine: FakeEngine, options: object = {}): PromqlHistory {
  const { url, headers } = engineAddress(`promql+${engine.url}`)
  const parts = { namesOf: (key: Uint8Array) => (key === KEY ? SERIES : undefined), pulse: KEY }
  return new PromqlHistory({ url, headers, timeoutMs: 30_000, ...options }, parts)
}

/** Answers with a text. */
function says(text: string, status = 200): (response: ServerResponse) => void {
  return (response) => response.writeHead(status).end(text)
}

function matrix(result: unknown): (response: ServerResponse) => void {
  return says(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
}

function endless(response: ServerResponse): void {
  response.writeHead(200)
  const more = (): void => {
    while (!response.destroyed && response.write('[1,"2"],'.repeat(8192)));
  }
  response.on('drain', more)
  more()
}

const ANSWERS: readonly (readonly [string, (response: ServerResponse) => void, string, RegExp])[] =
  [
    ['half of an answer', says('{"status":"success","data":{"resu'), 'bad_answer', /no JSON/],
    ['a page', says('<html>'), 'bad_answer', /no JSON/],
    ['null', says('null'), 'bad_answer', /success/],
    ['another type', says('{"status":"success","data":{}}'), 'bad_answer', /no matrix/],
    ['series of numbers', matrix([1, 2]), 'bad_answer', /without labels/],
    ['a label of lists', matrix([{ metric: { a: [] } }]), 'bad_answer', /label a/],
    ['values of text', matrix([{ metric: {}, values: 'x' }]), 'bad_answer', /no list/],
    ['a value as number', matrix([{ metric: {}, values: [[1, 2]] }]), 'bad_answer', /no sample/],
    [
      'times that fall',
      matrix([{ metric: {}, values: [2, 1].map((t) => [t, '1']) }]),
      'bad_answer',
      /no sample/,
    ],
    [
      'a time that is none',
      matrix([{ metric: {}, values: [[null, '1']] }]),
      'bad_answer',
      /sample/,
    ],
    [
      'a histogram of text',
      matrix([{ metric: {}, histograms: [[1, 'x']] }]),
      'bad_answer',
      /histo/,
    ],
    ['an answer without end', endless, 'too_large', /limit/],
    [
      'a million series',
      (response) => {
        const result = `[${'{"metric":{}},'.repeat(999_999)}{"metric":{}}]`
        response.end(`{"status":"success","data":{"resultType":"matrix","result":${result}}}`)
      },
      'too_large',
      /1000000 series/,
    ],
    [
      '400',
      says('{"status":"error","error":"parse error\\u001b[31m"}', 400),
      'refused',
      /400: parse error \[31m$/,
    ],
    ['401', says('', 401), 'refused', /401; put the user and password/],
    [
      'a redirect',
      (response) => response.writeHead(302, { Location: '/' }).end(),
      'refused',
      /302/,
    ],
    ['429', says('slow down', 429), 'unavailable', /429: slow down/],
    ['503', says('', 503), 'unavailable', /503/],
    ['a connection that ends', (response) => response.destroy(), 'unreachable', /does not answer/],
  ]

suite('an engine that does not do as it should', () => {
  for (const [title, answer, code, words] of ANSWERS) {
    test(`${title}: the read fails with ${code}, and the next one is answered`, async (t) => {
      const engine = await FakeEngine.start()
      t.after(() => engine.stop())
      engine.lie = (_, response) => {
        answer(response)
        return true
      }
      const history = historyOf(engine)
      await assert.rejects(history.read(READ), (error) => {
        assert.ok(error instanceof HistoryError, String(error))
        assert.equal(error.code, code, error.message)
        assert.match(error.message, words)
        return true
      })
      engine.lie = undefined
      assert.equal((await history.read(READ)).columns[0]?.kind, undefined)
      await history.close()
    })
  }

  test('one that never answers ends with its time, or with the history', async (t) => {
    const engine = await FakeEngine.start()
    t.after(() => engine.stop())
    engine.lie = () => true
    const isOf = (code: string) => (error: unknown) => (error as HistoryError).code === code
    await assert.rejects(historyOf(engine, { timeoutMs: 50 }).read(READ), isOf('timeout'))
    const history = historyOf(engine)
    const read = history.read(READ)
    await history.close()
    await assert.rejects(read, isOf('closed'))
  })

  test('samples that mean nothing are left out: NaN, stale, of others', async (t) => {
    const engine = await FakeEngine.start()
    t.after(() => engine.stop())
    const of = (metric: object, ...values: string[]) => {
      const named = { __name__: 'a_total', hub: 'one', ...metric }
      return { metric: named, values: values.map((value, i) => [START_S + i, value]) }
    }
    engine.lie = (_, response) => {
      const others = [of({ __name__: 'b_total' }, '0', '9'), of({ host: 'x' }, '0', '9')]
      matrix([of({}, '1', 'NaN', 'x', '', '5', '4e0'), ...others])(response)
      return true
    }
    const { columns } = await historyOf(engine).read(READ)
    const deltas = columns[0]!.cells.map((cell) => cell?.kind === 'counter' && cell.delta)
    // 5 is 4 more than 1, and 4 is less than 5: it began anew
    assert.deepEqual(deltas.filter(Boolean), [4, 4])
  })
})

test('the address of an engine gives its API, its credentials and the hub', async (t) => {
  assert.deepEqual(engineAddress('promql+https://ann:s%40t@host:1/select/0/prometheus/?hub=eu'), {
    url: 'https://host:1/select/0/prometheus/api/v1',
    headers: { authorization: `Basic ${Buffer.from('ann:s@t').toString('base64')}` },
    place: 'promql+https://host:1/select/0/prometheus/?hub=eu',
    hub: 'eu',
  })
  assert.equal(engineAddress('promql+http://h:9090').place, 'promql+http://h:9090')
  for (const wrong of [
    'promql+ftp://h',
    'promql+http://',
    'promql+h:1',
    'promql+http://h?hub=',
    'promql+http://h?x=1',
  ]) {
    assert.throws(() => engineAddress(wrong), TypeError, wrong)
  }
  await assert.rejects(
    startHub({ config: { history: { path: 'promql+x' } } }),
    /history.path: want/,
  )
  const engine = await FakeEngine.start()
  t.after(() => engine.stop())
  const options = { ...engineAddress(`promql+${engine.url.replace('//', '//ann:s@')}?hub=eu`) }
  await historyOf(engine, options).read(READ)
  assert.match(engine.headers[0]!.authorization!, /^Basic /)
  assert.ok(engine.asked.every((asked) => asked.get('query')!.includes('hub="eu"')))
})

test('a hub whose engine is away runs, says so, and tells when it is there again', async (t) => {
  const port = await freePort()
  const path = `promql+http://ann:secret@127.0.0.1:${port}`
  const log: string[] = []
  const hub = await startHub({
    config: { ...FREE_PORTS, history: { path } },
    log: (_, message, facts) => log.push(`${message} ${JSON.stringify(facts)}`),
  })
  t.after(() => hub.close())
  const said = hub.sources().history!
  assert.equal(said.place, `promql+http://127.0.0.1:${port}`)
  assert.deepEqual([said.state, said.isWritten], ['failing', false])
  const report = startReport('text', hub.addresses, hub.sources())
  assert.match(report, /history +promql\+http:\/\/127[^\n]*\n +this hub writes nothing to it; /)
  assert.match(report, /totals begin at 0 with each start\n/)
  assert.match(report, /fails: the engine does not answer: ECONNREFUSED; it is tried again/)
  const base = `http://127.0.0.1:${hub.addresses.http!.port}/api/v1`
  const own = [...hub.series()].length
  assert.ok(own > 0)
  const day = Date.now() - 86_400_000
  const answer = await fetch(`${base}/range?series=1&from=${day}&step=600`)
  assert.equal(answer.status, 200)
  const failed = [...hub.series()].find(({ identity }) => identity.name.endsWith('history.failed'))
  assert.deepEqual(failed?.identity.labels, [['reason', 'unreachable']])
  assert.equal(log.filter((line) => line.startsWith('the history can not be read')).length, 1)
  const engine = await FakeEngine.start(port)
  t.after(() => engine.stop())
  await fetch(`${base}/range?series=1&from=${day}&step=600`)
  assert.equal(hub.sources().history!.state, 'running')
  assert.ok(log.some((line) => line.startsWith('the engine of the history answers again')))
  for (const status of [429, 500, 503]) {
    engine.lie = (_, response) => {
      says('', status)(response)
      return true
    }
    const live = await fetch(`${base}/range?series=1&from=${day}&step=600`)
    assert.equal(live.status, 200, 'what the hub has itself is answered')
  }
  assert.ok(!`${log.join()}${report}${JSON.stringify(hub.sources())}`.includes('secret'))
})

suite('series of an engine', () => {
  const question = { fromS: START_S, toS: START_S + 60, limit: 10 }
  const namesOf = async (history: PromqlHistory, filter: string): Promise<unknown[]> => {
    const { series } = await history.find({ ...question, filter })
    return series.map(({ key }) => identityOf(key)!).map(({ kind, name }) => `${kind} ${name}`)
  }
  const labelled = (name: string) => ({ [NAME_LABEL]: name, hub: 'a' })

  test('of a word are those that the engine is asked for, where that can be said', async (t) => {
    const engine = await FakeEngine.start()
    t.after(() => engine.stop())
    const history = historyOf(engine)
    const keys = [NAME_LABEL, 'hub', 'host']
    engine.lie = ({ url }, response) => {
      const data = url === '/api/v1/labels' ? keys : [labelled('orders')]
      says(JSON.stringify({ status: 'success', data }))(response)
      return true
    }
    for (const [filter, matchers] of [
      ['ORD.RS', [`${NAME_LABEL}=~"(?is:.*ORD\\\\.RS.*)"`, 'host=~"(?is:.*ORD\\\\.RS.*)"']],
      ['st=a', [`${NAME_LABEL}=~"(?is:.*st=a.*)"`, 'host=~"(?is:.*st=a.*|a.*)"']],
      ['ost', [`${NAME_LABEL}=~"(?is:.*ost.*)"`, 'host!=""']],
      ['kind=gauge sum orders_c', undefined],
    ] as const) {
      engine.asked.length = 0
      await namesOf(history, filter)
      const all = matchers?.map((each) => `hub!="",${each}`) ?? ['hub!=""']
      const wanted = all.map((each) => `{${each},${NAME_LABEL}!~".+_bucket"}`)
      const asked = engine.asked[matchers === undefined ? 0 : 1]
      assert.deepEqual(asked!.getAll('match[]'), wanted, filter)
    }
    keys.push(...Array.from({ length: 70 }, (_, i) => `key${i}`))
    engine.asked.length = 0
    await namesOf(history, 'orders')
    assert.equal(engine.asked[1]!.getAll('match[]').length, 1)
    await history.close()
  })

  test('that are nothing but an ending have that name', async (t) => {
    const engine = await FakeEngine.start()
    t.after(() => engine.stop())
    const history = historyOf(engine)
    const rows = ['_total', '_count', '_sum', 'a_total', '_bucket', 'b_count', 'b_sum', 'b'].map(
      labelled,
    )
    engine.lie = (_, response) => {
      says(JSON.stringify({ status: 'success', data: rows }))(response)
      return true
    }
    assert.deepEqual(await namesOf(history, ''), [
      ...['gauge _total', 'gauge _count', 'gauge _sum', 'counter a', 'gauge _bucket'],
      ...['summary b', 'gauge b'],
    ])
    await history.close()
  })
})
