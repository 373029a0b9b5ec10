/** Stats Hero's part in the demo: two invented shops that report over UDP and TCP. */
import { addressText } from '../../../model/text/address.ts'
import { type Demo, type End, repeat, type StartContext } from '../../command-line.ts'
import { StatsHeroClient } from '../client.ts'
import { Shop } from './shop.ts'

/** Pause between a shop's reports, ms, and the seed of its invented day. */
const STEP_MS = 100
const SEED = 5
/** Regions, by which the shops are told apart: the protocol has no labels. */
const REGIONS = { udp: 'us', tcp: 'eu' } as const

export const demo: Demo = {
  description:
    'Two invented web shops report what they do, over UDP and TCP; every 90 seconds their ' +
    'payments are slow for 30: find them.',
  start(context) {
    const { text } = context.addresses
    if (text === undefined) return async () => {}
    const ends = [startShop('udp', SEED, context), startShop('tcp', SEED + 1, context)]
    context.log('two demo shops report, over udp and tcp', {
      to: addressText(text.host, text.port),
    })
    return () => Promise.all(ends.map((end) => end()))
  },
}

function startShop(
  transport: 'udp' | 'tcp',
  seed: number,
  { clock, addresses }: StartContext,
): End {
  const { host, port } = addresses.text!
  const client = new StatsHeroClient({ host, port, transport, flushIntervalMs: STEP_MS })
  void client.start()
  const shop = new Shop(seed)
  const region = REGIONS[transport]
  const cancel = repeat(clock, STEP_MS, () => {
    shop.step(STEP_MS / 1000, (type, key, value) => {
      client.send({ key: `${region}.${key}`, value, type })
    })
  })
  return () => {
    cancel()
    return client.close()
  }
}
