/** P12: one update of an event counter with nobody, one and ten listening, against the usual. */
import { strict as assert } from 'node:assert'
import * as ours from './instruments/event-counters.ts'
import * as opentelemetry from './instruments/opentelemetry.ts'
import * as prom from './instruments/prometheus-client.ts'
import {
  contender,
  INSTRUMENT_COUNT,
  type Instrument,
  SEED,
  VALUE_MAX,
  verify,
} from './instruments/visits.ts'
import { atLeast, atMost, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 2
const ROUNDS = 9
const LARGEST = VALUE_MAX.toLocaleString('en-US')

await ask({
  name: 'P12',
  asks: 'What does a sample cost an application that is watched by nobody, by one, by ten?',
  data: `${INSTRUMENT_COUNT} of each in random order, values to ${LARGEST}, seed ${SEED}`,
  method: [
    'processor time in one process, the loop and the random choice included',
    'sessions are open all the time, and what they were told at the end is verified; where nobody',
    'listens, that nothing was recorded',
  ],
  unit: 'ns per update',
  remarks: [
    'event counters give each session count, mean, deviation, min and max of its own window,',
    'exactly; the others keep totals for one reader, and histograms of buckets',
    'sessions that were opened together share what they count; those apart have samples between',
    'their boundaries, and count on their own',
    'our Histogram keeps 160 buckets, exact sum, min and max, for the writers of any thread',
  ],

  async measure() {
    const silent = [ours.checks(400), ours.writeMetric(0, 400), ours.increment(0, 400)]
    const watched = [
      ours.writeMetric(1, 50),
      ours.writeMetric(10, 25),
      ours.writeMetric(10, 10, true),
      ours.increment(1, 50),
      ours.increment(10, 50),
      ours.plainCounters(200),
      ours.plainHistograms(0, 50),
      ours.plainHistograms(1, 30),
      prom.unlabelled(50),
      prom.boundChildren(10),
      prom.histograms(5),
      opentelemetry.counters(15),
      opentelemetry.histograms(5),
    ]
    const rounds = await interleave([...silent, ...watched].map(contender), WARM_UPS, ROUNDS)
    for (const instrument of silent) await verifySilence(instrument)
    for (const instrument of watched) await verify(instrument, WARM_UPS + ROUNDS)
    const [check, write0, add0, write1, write10, apart10, add1, add10] = rounds
    const [counter, record0, record1] = rounds.slice(8)
    const [alone, bound, observed, added, recorded] = rounds.slice(11)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [
        ratioOf(write0!, check!, atMost(1.5)),
        ratioOf(add0!, check!, atMost(1.5)),
        ratioOf(write10!, write1!, atMost(1.5)),
        ratioOf(add10!, add1!, atMost(1.5)),
        ratioOf(observed!, write1!, atLeast(10)),
        ratioOf(recorded!, write1!, atLeast(10)),
        ratioOf(observed!, write10!, atLeast(10)),
        ratioOf(observed!, apart10!, atLeast(2)),
        ratioOf(alone!, add1!, atLeast(1)),
        ratioOf(added!, add1!, atLeast(5)),
        ratioOf(alone!, add10!, atLeast(1)),
        ratioOf(bound!, counter!, atLeast(40)),
        ratioOf(observed!, record0!, atLeast(5)),
        ratioOf(recorded!, record0!, atLeast(5)),
        ratioOf(observed!, record1!, atLeast(2)),
      ],
      skipped: [],
    }
  },
})

async function verifySilence(instrument: Instrument): Promise<void> {
  assert.equal(await instrument.recorded(), 0, `updates of ${instrument.title}`)
}
