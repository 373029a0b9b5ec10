/** Attacks by questions: large ones, many at once, answers that nobody takes. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { ScopeClient } from '../../../src/dialects/scope/client.ts'
import type { Address } from '../../support/hub/hub-process.ts'
import { type Attack, Crowd, get, request, type Target, text } from '../crowd.ts'

const HOUR_MS = 3_600_000
/** Number of series that an address may name. */
const IDS = Array.from({ length: 1000 }, (_, id) => id + 1).join()
/** As many parameters as one request can name: providers, counters. */
const PROVIDERS = Array.from({ length: 250 }, (_, i) => `p${i}`)
const COUNTERS = Array.from({ length: 1000 }, (_, i) => `q${i}`).join()

/** Settings of a scope viewer, {"sampling_interval": 1000000} in a frame. */
const EVERY_MS = Buffer.from('1800000081b173616d706c696e675f696e74657276616cce000f4240', 'hex')

/** Series that each address brings to be shown, and the time that this takes, ms. */
const SHOWN = 6000
const SHOWN_MS = 1500

function linesOf(name: string, count: number): string {
  return Array.from({ length: count }, (_, i) => `${name}.${i}:1|${i % 2 ? 'g' : 'h'}\n`).join('')
}

/** Answers that may be large, or never end. */
const LONG = [
  '/metrics',
  '/api/v1/series?limit=5000',
  `/api/v1/cells?series=${IDS}`,
  `/api/v1/live?series=${IDS}`,
  '/api/v1/eventcounters?EventCounterIntervalSec=1',
  '/api/v1/otlp',
  '/api/v1/sources',
  `/api/v1/range?series=${IDS.slice(0, 700)}`,
]

/** Finds series of a kind. */
async function idsOf({ host, port }: Address, kind: string, count: number): Promise<string> {
  const url = `http://${host}:${port}/api/v1/series?kind=${kind}&limit=${count}`
  const answer = await fetch(url).catch(() => undefined)
  if (!answer?.ok) return '1'
  const { series } = (await answer.json()) as { series: readonly { readonly id: number }[] }
  return series.map(({ id }) => id).join() || '1'
}

/** Asks many times in each of so many connections. */
function asking(
  name: string,
  address: string,
  connections: number,
  requestsOf: (target: Target) => Promise<string>,
): Attack {
  return {
    name,
    async run(target, signal) {
      const crowd = new Crowd(address)
      const requests = await requestsOf(target)
      await crowd.hold(connections, signal, () => crowd.open(target.listeners.http.port, requests))
    },
  }
}

function counters(list: string): string {
  return `/api/v1/eventcounters?EventCounterIntervalSec=1&counters=${list}`
}

export const ANSWER_ATTACKS: readonly Attack[] = [
  asking('pipelined heavy answers', '127.0.0.11', 20, async () =>
    get('/api/v1/series?limit=5000').repeat(30),
  ),
  asking('pipelined scrapes', '127.0.0.28', 10, async () => get('/metrics').repeat(30)),
  asking('ranges of histograms', '127.0.0.29', 10, async ({ listeners: { http } }) => {
    const ids = await idsOf(http, 'histogram', 200)
    return get(`/api/v1/range?series=${ids}&from=${Date.now() - HOUR_MS / 2}`).repeat(30)
  }),
  asking('single series, many times', '127.0.0.30', 50, async ({ listeners: { http } }) => {
    const id = await idsOf(http, 'histogram', 1)
    return get(`/api/v1/series/${id}`).repeat(30)
  }),
  asking('patterns with many stars', '127.0.0.31', 50, async () => {
    const path = `/api/v1/series?name=${'*a*b'.repeat(240)}&dryRun=true`
    return request('DELETE', path).repeat(20)
  }),
  asking('lists of counters', '127.0.0.32', 60, async () =>
    [
      counters(PROVIDERS.join()),
      counters(`statshero[${COUNTERS}]`),
      counters('q'.repeat(14_000)),
      counters('a['.repeat(5000)),
    ]
      .map((path) => get(path))
      .join(''),
  ),
  asking('counter sessions that ask for all', '127.0.0.18', 60, async () =>
    get('/api/v1/eventcounters?EventCounterIntervalSec=1'),
  ),
  asking('replays of a live stream', '127.0.0.33', 200, async () =>
    get(`/api/v1/live?series=${IDS}`, `Last-Event-ID: ${Date.now() - HOUR_MS / 6}`),
  ),
  {
    name: 'live streams of 5000 series each',
    async run({ listeners: { http } }, signal) {
      const crowd = new Crowd('127.0.0.35')
      await crowd.hold(250, signal, (i) => {
        const stream = crowd.open(http.port, get('/api/v1/live'))
        stream.once('data', (bytes) => {
          const name = /"stream":"([^"]+)"/.exec(String(bytes))?.[1]
          const series = Array.from({ length: 5000 }, (_, id) => id + 1 + ((i * 400) % 95_000))
          const body = JSON.stringify({ series })
          const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
          crowd.open(http.port, request('POST', `/api/v1/live/${name}`, headers) + body).end()
        })
      })
    },
  },
  {
    name: 'answers that nobody takes',
    async run({ listeners: { http } }, signal) {
      const crowd = new Crowd('127.0.0.12')
      await crowd.hold(300, signal, (i) =>
        crowd.open(http.port, get(LONG[i % LONG.length]!)).pause(),
      )
    },
  },
  {
    name: 'scope viewers at 1 ms',
    async run({ listeners: { stream } }, signal) {
      const { host, port } = stream
      const viewers = Array.from({ length: 10 }, () => {
        return new ScopeClient({ host, port, samplingIntervalMs: 1 })
      })
      await Promise.all(viewers.map((viewer) => viewer.start()))
      if (!signal.aborted) await once(signal, 'abort')
      await Promise.all(viewers.map((viewer) => viewer.close()))
    },
  },
  {
    name: 'hundreds of scope viewers at 1 ms',
    async run({ listeners: { stream, text: lines } }, signal) {
      const crowds = ['127.0.0.48', '127.0.0.49'].map((address) => new Crowd(address))
      for (const [i, crowd] of crowds.entries()) {
        const packets = Array.from({ length: SHOWN / 100 }, (_, from) =>
          text(linesOf(`shown.${i}.${from}`, 100)),
        )
        crowd.open(lines.port, packets.join('')).end()
      }
      await setTimeout(SHOWN_MS)
      const holding = crowds.map((crowd) =>
        crowd.hold(120, signal, () => crowd.open(stream.port, EVERY_MS)),
      )
      await Promise.all(holding)
    },
  },
  {
    name: 'scope viewers that read nothing',
    async run({ listeners: { stream } }, signal) {
      const crowd = new Crowd('127.0.0.34')
      await crowd.hold(100, signal, () => {
        const socket = crowd.open(stream.port)
        socket.once('data', () => {
          socket.write(EVERY_MS)
          socket.pause()
        })
      })
    },
  },
  {
    name: 'steps of the wall clock',
    async run({ stepClock }, signal) {
      for (let i = 0; !signal.aborted; i++) {
        stepClock(i % 2 === 0 ? HOUR_MS : -HOUR_MS)
        await setTimeout(1500)
      }
      stepClock(0)
    },
  },
]
