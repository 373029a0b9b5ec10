import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OVERVIEW } from '../../../../web/overview/address.ts'
import { formatRoute, parseLocation } from '../../../../web/shell/route.ts'
import { WALLAROO, type WallarooState } from '../address.ts'
import { categoryOf } from '../place.ts'
import { FORMER } from './former.ts'

const SCREENS = [{ address: OVERVIEW }, { address: WALLAROO, former: FORMER }]

/** The address that the browser shows after a visit, and what is measured there. */
function visited(link: string): readonly [link: string, category: string] {
  const { route, isFormer } = parseLocation(SCREENS, new URL(link, 'http://127.0.0.1:4000'))
  assert.equal(isFormer, true, link)
  assert.equal(route.address, WALLAROO, link)
  return [formatRoute(route), categoryOf((route.state as WallarooState).place)]
}

const AT = '/wallaroo/market/'
const MODE = '?mode=compatible'
/** Address of the original, ours, and the category of a place that is measured. */
const PAGES = [
  ['/applications', `/wallaroo${MODE}`],
  ['/applications/', `/wallaroo${MODE}`],
  ['/applications/market', `/wallaroo/market${MODE}`],
  ['/applications/market/dashboard', `/wallaroo/market${MODE}`],
  ['/applications/market/workers-dashboard', `/wallaroo/market${MODE}`],
  ['/applications/market/start-to-end/Orders', `${AT}Orders${MODE}`, 'start-to-end'],
  ['/applications/market/node-ingress-egress/w1', `${AT}-/w1${MODE}`, 'node-ingress-egress'],
  ['/applications/market/computation/Check%20It', `${AT}-/-/Check%20It${MODE}`, 'computation'],
  [
    '/applications/market/start-to-end-by-worker/Orders@w1',
    `${AT}Orders/w1${MODE}`,
    'start-to-end',
  ],
  [
    '/applications/market/node-ingress-egress-by-pipeline/Orders*w1',
    `${AT}Orders/w1?category=node-ingress-egress&mode=compatible`,
    'node-ingress-egress',
  ],
  [
    '/applications/market/computation-by-worker/Orders@w1:Check:It',
    `${AT}Orders/w1/Check%3AIt${MODE}`,
    'computation',
  ],
  [
    '/applications/market/pipeline-ingestion/Orders%20source',
    `${AT}-/-/Orders%20source?category=pipeline-ingestion&mode=compatible`,
    'pipeline-ingestion',
  ],
  ['/applications/market/queue/a%2Fb', `${AT}-/-/a%2Fb?category=queue&mode=compatible`, 'queue'],
] as const

test('every page of the original has its address here, as a path and behind #', () => {
  for (const [link, ours, category] of PAGES) {
    for (const each of [link, `/#${link}`, `/wallaroo#${link}`]) {
      const [found, measured] = visited(each)
      assert.equal(found, ours, each)
      if (category !== undefined) assert.equal(measured, category, each)
    }
  }
})

test('keys that lack a part, or are none, lead to what they name', () => {
  assert.equal(visited('/applications/a/computation-by-worker/P@w')[0], `/wallaroo/a/P/w${MODE}`)
  assert.equal(visited('/applications/a/start-to-end-by-worker/P')[0], `/wallaroo/a/P${MODE}`)
  assert.equal(visited('/applications/a/computation/50%')[0], `/wallaroo/a/-/-/50%25${MODE}`)
})

test('our own addresses are no former ones', () => {
  const url = new URL('http://127.0.0.1:4000/wallaroo/a/P#top')
  assert.equal(parseLocation(SCREENS, url).isFormer, false)
})
