/** P7: what a metric call costs a Proxy-Wasm filter, against hosts that serve it in JavaScript. */
import { strict as assert } from 'node:assert'
import { CALLS, METRICS, OBSERVED } from './filters/counting-filter.ts'
import { startBare, startOurs, startPlain } from './filters/hosts.ts'
import { atLeast, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 3
const ROUNDS = 9
/** A call that only adds, in WebAssembly, is 3.7 times as fast as one into JavaScript. */
const PLAIN_WANTED = 3.5
/** Half of the way through JavaScript is what the specification grants. */
const GRANTED = 2

await ask({
  name: 'P7',
  asks: 'What does it cost a filter to count, and to observe a value?',
  data: `${METRICS} counters and histograms in turn, increments of 1, values of ${OBSERVED}`,
  method: [
    `processor time of a request in which the filter makes ${CALLS.toLocaleString('en-US')} calls,`,
    'its loop included; what arrived in the metrics is verified',
  ],
  unit: 'ns per call',
  remarks: [
    'the plain host adds into typed arrays of its own: no zone, no check, no sum, one thread',
  ],

  async measure() {
    const hosts = [
      await startOurs('wasm', 'increment'),
      await startOurs('sab', 'increment'),
      await startPlain('increment'),
      await startBare(),
      await startOurs('wasm', 'observe'),
      await startOurs('sab', 'observe'),
      await startPlain('observe'),
    ]
    const rounds = await interleave(hosts, WARM_UPS, ROUNDS)
    for (const host of hosts) {
      assert.equal(host.arrived(), (WARM_UPS + ROUNDS) * CALLS, host.title)
      host.close()
    }
    const [fast, ours, plain, , fastObserve, oursObserve, plainObserve] = rounds
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [
        ratioOf(plain!, fast!, atLeast(PLAIN_WANTED)),
        ratioOf(plainObserve!, fastObserve!, atLeast(PLAIN_WANTED)),
        ratioOf(ours!, fast!, atLeast(GRANTED)),
        ratioOf(oursObserve!, fastObserve!, atLeast(GRANTED)),
      ],
      skipped: [],
    }
  },
})
