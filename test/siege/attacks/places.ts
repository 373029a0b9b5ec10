/** Attacks on places: all of a kind are taken and kept, by as few addresses as the limits allow. */
import { type Attack, Crowd, get, request, text } from '../crowd.ts'

/** Connections that one address may have: over all listeners, and to HTTP. */
const PER_ADDRESS = 500
const PER_ADDRESS_HTTP = 512
/** Settings of a viewer in a frame, with the interval 2^64 - 1 ns. */
const SETTINGS = Buffer.from(
  '1c00000081b173616d706c696e675f696e74657276616ccfffffffffffffffff',
  'hex',
)
/** Connect and Join of a Wallaroo worker. */
const JOIN = Buffer.from('00000001010000001302000000096d6574726963733a610000000177', 'hex')
/** Large frames of which so much comes, so many of each address, fill what all may hold. */
const PART_BYTES = 136_000
const PARTS = 240
const PART_ADDRESSES = 4

/** Holds connections of several addresses, each until the signal. */
async function holdAll(
  crowds: readonly Crowd[],
  count: number,
  signal: AbortSignal,
  openOne: (crowd: Crowd, index: number) => void,
): Promise<void> {
  await Promise.all(
    crowds.map((crowd) => crowd.hold(count, signal, (index) => openOne(crowd, index))),
  )
}

export const PLACE_ATTACKS: readonly Attack[] = [
  {
    name: 'requests that never end',
    takesPlaces: true,
    async run({ listeners: { http } }, signal) {
      const json = ['Content-Type: application/json', 'Content-Length: 60000']
      const beginnings = [
        `${request('POST', '/api/v1/live/x', json)}[`,
        get('/api/v1/live', 'Content-Length: 1'),
      ]
      const crowds = [new Crowd('127.0.0.36'), new Crowd('127.0.0.37')]
      await holdAll(crowds, PER_ADDRESS_HTTP, signal, (crowd, i) => {
        crowd.open(http.port, beginnings[i % beginnings.length]!)
      })
    },
  },
  {
    name: 'all streams, sessions and viewers',
    takesPlaces: true,
    async run({ listeners: { http, stream } }, signal) {
      const crowds = [new Crowd('127.0.0.38'), new Crowd('127.0.0.39')]
      const [asking, watching] = crowds as [Crowd, Crowd]
      const session = get('/api/v1/eventcounters?EventCounterIntervalSec=4000000&counters=zz')
      const streams = get('/api/v1/live?interval=3600')
      await Promise.all([
        asking.hold(330, signal, (i) => asking.open(http.port, i % 5 === 0 ? session : streams)),
        watching.hold(260, signal, () => watching.open(stream.port, SETTINGS)),
      ])
    },
  },
  {
    name: 'senders that say one thing',
    takesPlaces: true,
    async run({ listeners: { text: lines, stream } }, signal) {
      const senders = [new Crowd('127.0.0.40'), new Crowd('127.0.0.41')]
      const workers = [new Crowd('127.0.0.42'), new Crowd('127.0.0.43')]
      const packet = text('held:1|m\n')
      await Promise.all([
        holdAll(senders, PER_ADDRESS, signal, (crowd) => crowd.open(lines.port, packet)),
        holdAll(workers, PER_ADDRESS, signal, (crowd) => crowd.open(stream.port, JOIN)),
      ])
    },
  },
  {
    name: 'small parts of large frames',
    takesPlaces: true,
    async run({ listeners: { text: lines } }, signal) {
      const part = `1|1000000\n${'x'.repeat(PART_BYTES)}`
      const crowds = Array.from({ length: PART_ADDRESSES }, (_, i) => {
        return new Crowd(`127.0.0.${44 + i}`)
      })
      await holdAll(crowds, PARTS, signal, (crowd) => crowd.open(lines.port, part))
    },
  },
]
