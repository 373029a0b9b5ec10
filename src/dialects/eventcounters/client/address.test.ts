import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EventCountersClientOptions } from '../client.ts'
import { endpointAddress } from './address.ts'

function hrefOf(url: string, options: Omit<EventCountersClientOptions, 'url'> = {}): string {
  return endpointAddress({ ...options, url }).url.href
}

const PATH = '/api/v1/eventcounters'
const ONE = 'EventCounterIntervalSec=1'

suite('the address of an endpoint', () => {
  test('needs no path, and may have another', () => {
    assert.equal(hrefOf('http://h:1'), `http://h:1${PATH}?${ONE}`)
    assert.equal(hrefOf('http://h:1/'), `http://h:1${PATH}?${ONE}`)
    assert.equal(hrefOf('http://h:1/own/place'), `http://h:1/own/place?${ONE}`)
    assert.equal(hrefOf('https://h'), `https://h${PATH}?${ONE}`)
    assert.equal(hrefOf('HTTP://H:1?x=1#part'), `http://h:1${PATH}?x=1&${ONE}`)
  })

  test('may have the scheme of the dialect, whose port is 4000', () => {
    assert.equal(hrefOf('eventcounters://h'), `http://h:4000${PATH}?${ONE}`)
    assert.equal(hrefOf('EventCounters://h:80/p?a=b'), `http://h/p?a=b&${ONE}`)
    assert.equal(hrefOf('eventcounters://[::1]'), `http://[::1]:4000${PATH}?${ONE}`)
    assert.equal(hrefOf('eventcounters://[::1]:7/'), `http://[::1]:7${PATH}?${ONE}`)
  })

  test('names host and port even where the scheme implies the port', () => {
    const { endpoint, hostname, port } = endpointAddress({ url: 'https://[::1]/x' })
    assert.deepEqual([endpoint, hostname, port], ['[::1]:443', '::1', 443])
    assert.equal(endpointAddress({ url: 'http://h' }).endpoint, 'h:80')
  })

  test('has a label of its own where the path is another', () => {
    const labelOf = (url: string) => endpointAddress({ url }).label
    assert.equal(labelOf('http://h:1?counters=A'), 'h:1')
    assert.equal(labelOf(`eventcounters://h:1${PATH}`), 'h:1')
    assert.equal(labelOf('http://h:1/shop/counters?counters=A'), 'h:1/shop/counters')
  })

  test('takes the options as parameters, but keeps what its own query says', () => {
    const options = { intervalMs: 5000, counters: 'A[x,y],B', deliver: 'all' } as const
    const { searchParams } = new URL(hrefOf('http://h:1', options))
    assert.deepEqual(Object.fromEntries(searchParams), {
      EventCounterIntervalSec: '5',
      counters: 'A[x,y],B',
      deliver: 'all',
    })
    const own = '?EventCounterIntervalSec=0.5&profile=peer&counters=C'
    assert.equal(
      hrefOf(`http://h:1/p${own}`, { intervalMs: 5000, counters: 'A' }),
      `http://h:1/p${own}`,
    )
  })

  test('says which series is asked for and how long silence may last', () => {
    const asked = (intervalSec: string, profile?: 'document' | 'peer') => {
      const url = `http://h:1?EventCounterIntervalSec=${intervalSec}`
      const options = { url, ...(profile && { profile }) }
      const { seriesMs, silenceMs } = endpointAddress(options)
      return [seriesMs, silenceMs]
    }
    assert.deepEqual(asked('1'), [1000, 45_000])
    assert.deepEqual(asked('20'), [20_000, 60_000])
    assert.deepEqual(asked(' 0020 '), [20_000, 60_000])
    assert.deepEqual(asked('0'), [0, 45_000])
    assert.deepEqual(asked('0.5'), [0, 45_000])
    assert.deepEqual(asked('0.5', 'peer'), [500, 45_000])
    assert.deepEqual(asked('1e10', 'peer'), [0, 45_000])
    assert.deepEqual(asked('4294967295'), [4_294_967_295_000, 12_884_901_885_000])
  })

  for (const [url, message] of [
    ['h:1', /scheme h: of "h:1" is unknown/],
    ['', /"" is no address: want http:\/\/HOST:PORT/],
    ['http://', /is no address/],
    ['http://h:70000', /is no address/],
    ['ftp://h', /scheme ftp:/],
    ['http://me:secret@h', /user name or password/],
    ['http://h?profile=Peer', /unknown profile "Peer", want document or peer/],
    ['http://h?deliver=', /unknown deliver "", want own or all/],
  ] as const) {
    test(`is refused at once: ${JSON.stringify(url)}`, () => {
      assert.throws(() => endpointAddress({ url }), { name: 'TypeError', message })
    })
  }
})
