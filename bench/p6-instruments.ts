/** P6: one update of a counter and of a histogram inside a process, against the usual libraries. */
import * as opentelemetry from './instruments/opentelemetry.ts'
import * as ours from './instruments/pentameter.ts'
import * as prom from './instruments/prometheus-client.ts'
import { contender, INSTRUMENT_COUNT, SEED, VALUE_MAX, verify } from './instruments/visits.ts'
import { atLeast, figureOf, interleave, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'

const WARM_UPS = 2
const ROUNDS = 9
const LARGEST = VALUE_MAX.toLocaleString('en-US')

await ask({
  name: 'P6',
  asks: 'What does one update of a counter, and of a histogram, cost the thread that makes it?',
  data: `${INSTRUMENT_COUNT} of each in random order, values to ${LARGEST}, seed ${SEED}`,
  method: [
    'processor time in one process, the loop and the random choice included',
    'every way has a loop of its own; the updates that each library knows of are verified',
  ],
  unit: 'ns per update',
  remarks: [
    'a handle of ours is found once and held; whoever uses the other libraries mostly gives labels',
    'with each call; a bound child of @prometheus-io/client is held like a handle',
    'dense: powers of two, as here for the rival; exponential: 160 buckets as fine as the range',
    'allows, with exact extremes',
  ],

  async measure() {
    const counters = [
      ours.counters(400),
      prom.boundChildren(10),
      prom.labelledIncrements(10),
      prom.unlabelled(100),
      opentelemetry.counters(15),
      opentelemetry.attributes(3),
    ]
    const histograms = [
      ours.dense(150),
      ours.exponential(100),
      prom.histograms(5),
      opentelemetry.histograms(5),
    ]
    const all = [...counters, ...histograms]
    const rounds = await interleave(all.map(contender), WARM_UPS, ROUNDS)
    for (const instrument of all) await verify(instrument, WARM_UPS + ROUNDS)
    const [counter, bound, labelled, alone] = rounds
    const [dense, fine, observed] = rounds.slice(counters.length)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [
        ratioOf(labelled!, counter!, atLeast(40)),
        ratioOf(bound!, counter!, atLeast(40)),
        ratioOf(alone!, counter!, atLeast(1)),
        ratioOf(observed!, dense!, atLeast(30)),
        ratioOf(observed!, fine!, atLeast(25)),
      ],
      skipped: [],
      means: [
        `An update of a counter takes ${ns(counter!)} ns, of a histogram ${ns(dense!)} to ` +
          `${ns(fine!)} ns`,
      ],
    }
  },
})

function ns({ figures }: Rounds): string {
  return figureText(spreadOf(figures).median)
}
