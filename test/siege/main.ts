/**
 * npm run siege [-- --seconds N] [-- NAME…]
 *
 * Runs every attack of attacks.ts (or those whose names contain a word) against a hub of its own
 * with a heap of 512 MB, beside well-behaved neighbours; then some of them against a hub without
 * ingest threads, against one with eight relays that scrapes targets which lie, and against one
 * that has few descriptors and can't write its log. Prints what each attack did to the neighbours,
 * then whether their counts are exact. Ends with 1 where a bound is broken; the last line is
 * `N passed, M failed`.
 */
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ATTACKS } from './attacks.ts'
import { LyingTargets } from './lying-targets.ts'
import { type Bounds, check, counts, Siege } from './siege.ts'

/** Attacks that take connections, of which there are few then. */
const ON_FEW_DESCRIPTORS = /connections|byte|nobody|lying/
const DESCRIPTORS = 256
/** Attacks by what costs much to take in: then in the thread that answers, too. */
const ON_ONE_THREAD = /gzip/
/** Attacks by what costs much to send on: then with relays, to receivers that are not there. */
const ON_RELAYS = /all change/
const RELAYS = ['statshero+udp', 'statshero+tcp', 'wallaroo+tcp', 'graphite+tcp'].flatMap(
  (scheme) => ['127.0.0.1', '127.0.0.2'].flatMap((host) => ['--relay', `${scheme}://${host}:9`]),
)

/** Attack that the hub brings upon itself: it asks. */
const LIES = 'scrape targets that lie'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' } },
})
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error(`--seconds ${values.seconds}: want a number above 0`)
const chosen = ATTACKS.map(({ name }) => name).filter(
  (name) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
)

/**
 * Bounds of a machine that does little else; a step is measured by the processor time that it took.
 */
const BOUNDS: Bounds = {
  rssMb: 1200,
  probeMs: 1000,
  heldMs: 200,
  udpLoss: 0.02,
  logLines: 300,
}

if (chosen.length > 0) {
  const siege = await Siege.begin({}, BOUNDS, seconds)
  for (const name of chosen) await siege.endure(name)
  await siege.end()
}

const single = chosen.filter((name) => ON_ONE_THREAD.test(name))
if (single.length > 0) {
  console.log('without ingest threads:')
  const busy = await Siege.begin({}, BOUNDS, seconds, '--ingest-workers', '0')
  for (const name of single) await busy.endure(name)
  await busy.end()
}

const relayed = chosen.filter((name) => ON_RELAYS.test(name))
const isScraping = positionals.length === 0 || positionals.some((word) => LIES.includes(word))
if (relayed.length > 0 || isScraping) {
  console.log('with eight relays, and scraping:')
  const targets = await LyingTargets.start()
  const sending = await Siege.begin({}, BOUNDS, seconds, ...RELAYS, ...targets.flags)
  if (isScraping)
    await sending.endure(LIES, async (signal) => {
      if (!signal.aborted) await once(signal, 'abort')
    })
  await targets.check(sending.http, check)
  for (const name of relayed) await sending.endure(name)
  await sending.end()
}

const few = chosen.filter((name) => ON_FEW_DESCRIPTORS.test(name))
if (few.length > 0) {
  console.log(`with ${DESCRIPTORS} descriptors, and a log that can't be written:`)
  const stderr = openSync('/dev/full', 'w')
  // without a descriptor there is no health check until one is closed
  const bounds = { ...BOUNDS, probeMs: 60_000 }
  const poor = await Siege.begin({ stderr, descriptors: DESCRIPTORS }, bounds, seconds)
  closeSync(stderr)
  for (const name of few) await poor.endure(name)
  await poor.end()
}
const { passed, failed } = counts
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
