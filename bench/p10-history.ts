/** P10, a part: bytes a sample of history's bundles against VictoriaMetrics' data. */
import { quickCodec } from '../src/history/quick/quick-coder.ts'
import { bundledBytes, minutesOf, samplesOf, secondsOf } from './history/chunks.ts'
import { type Mix, seriesOf } from './history/mixes.ts'
import { hasRival, rivalBytes } from './history/rival.ts'
import { processorSeconds } from './measure/own-cpu.ts'
import { atMost, figureOf, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const SECONDS = 3600
const SERIES: Readonly<Record<Mix, number>> = { services: 400, machines: 300, distributions: 40 }
/** What is wanted of the whole file. */
const CASES = [
  { mix: 'services', digits: 0, wanted: 0.87 },
  { mix: 'machines', digits: 0, wanted: 0.92 },
  { mix: 'machines', digits: 12, wanted: 0.8 },
  { mix: 'distributions', digits: 0, wanted: 0.7 },
] as const
/** Bytes of the same seconds are the same each time. */
const ROUNDS = 1

const NO_RIVAL = 'no victoria-metrics on this machine'

await ask({
  name: 'P10',
  asks: 'How many bytes does a second of a series take on disk?',
  data:
    `an hour of ${SERIES.services} series of services, ${SERIES.machines} of machines, ` +
    `${SERIES.distributions} distributions (bench/history/mixes.ts), seeded by their numbers`,
  method: [
    'ours: bundles of 128 series, an hour of seconds and its minutes, checksums included',
    'VictoriaMetrics: the data folder, after a flush and a forced merge; without its index',
    'processor time: making the chunks of an hour, by WebAssembly',
  ],
  unit: 'bytes a sample',
  remarks: ['a part: without the pages of SQLite and the table of series around the bundles'],

  async measure() {
    const codec = quickCodec()
    const figures: Rounds[] = []
    const verdicts = []
    const isRivalHere = hasRival()
    const known = new Map<Mix, Rounds>()
    for (const { mix, digits, wanted } of CASES) {
      const made = Array.from({ length: SERIES[mix] }, (_, i) => seriesOf(mix, i, SECONDS))
      const samples = made.reduce((sum, series) => sum + samplesOf(series), 0)
      const [seconds, minutes] = [made.map(secondsOf), made.map(minutesOf)]
      let bytes = 0
      const processor = processorSeconds(() => {
        bytes = bundledBytes(codec, 1, seconds, digits)
      })
      bytes += bundledBytes(codec, 60, minutes, digits)
      const title = `${mix}${digits === 0 ? '' : `, ${digits} digits`}`
      const ours = { title, figures: [bytes / samples] }
      const unit = 'ns a sample'
      figures.push(ours, { title: `${title}, made`, figures: [(processor * 1e9) / samples], unit })
      if (!isRivalHere) continue
      const rival = known.get(mix) ?? {
        title: `VictoriaMetrics, ${mix}`,
        figures: [(await rivalBytes(made, SECONDS)) / samples],
      }
      if (!known.has(mix)) figures.push(rival)
      known.set(mix, rival)
      verdicts.push(ratioOf(ours, rival, atMost(wanted)))
    }
    const skipped = isRivalHere ? [] : [{ title: 'VictoriaMetrics', reason: NO_RIVAL }]
    return { warmUps: 0, rounds: ROUNDS, figures: figures.map(figureOf), verdicts, skipped }
  },
})
