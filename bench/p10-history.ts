/** P10: bytes a sample of the whole history on disk against VictoriaMetrics' data. */
import { samplesOf, secondsOf } from './history/feed.ts'
import { bytesOf, IN_MEMORY, inFolder, openAt, startOf } from './history/folder.ts'
import { type MadeSeries, type Mix, seriesOf } from './history/mixes.ts'
import { hasRival, type RivalBytes, rivalBytes } from './history/rival.ts'
import { atMost, figureOf, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const HOUR_S = 3600
/** Series of each mix, in hundreds where its makes have shares in per cent, and hours of them. */
const SIZES: Readonly<Record<Mix, readonly [series: number, hours: number]>> = {
  services: [200, 12],
  machines: [200, 8],
  distributions: [40, 4],
}
const CASES = [
  { mix: 'services', digits: 0, wanted: 0.87 },
  { mix: 'machines', digits: 0, wanted: 0.92 },
  { mix: 'machines', digits: 12, wanted: 0.8 },
  { mix: 'distributions', digits: 0, wanted: 0.7 },
] as const
/** Bytes of the same seconds are the same each time. */
const ROUNDS = 1

const NO_RIVAL = 'no victoria-metrics on this machine'

/** Feeds a history with all seconds and gives the bytes of its folder, once all is sealed. */
async function wholeBytes(made: readonly MadeSeries[], hours: number, digits: number) {
  const startS = startOf(hours * HOUR_S)
  const clock = { nowS: startS }
  return inFolder(async (folder) => {
    const store = openAt(folder, clock, digits)
    for (const second of secondsOf(made, startS)) {
      clock.nowS = second.endS
      await store.append(second)
      if (second.endS % 60 === 0) await new Promise(setImmediate)
    }
    await store.close()
    clock.nowS += HOUR_S
    const again = openAt(folder, clock, digits)
    await again.retain()
    await again.close()
    return bytesOf(folder)
  }, IN_MEMORY)
}

await ask({
  name: 'P10',
  asks: 'How many bytes does a second of a series take on disk?',
  data: Object.entries(SIZES)
    .map(([mix, [series, hours]]) => `${series} series of ${mix}, ${hours} h`)
    .join('; ')
    .concat(' (bench/history/mixes.ts), seeded by their numbers'),
  method: [
    'ours: all files of the folder once it is closed: cells of seconds, minutes and hours (gauges',
    'with first, least and largest value), totals, names, labels, checksums, pages of SQLite',
    'VictoriaMetrics: series of the same names and labels, after a flush and a forced merge; what',
    'is wanted is our whole against its data folder alone, without the index of its series',
  ],
  unit: 'bytes a sample',

  async measure() {
    const figures: Rounds[] = []
    const verdicts = []
    const isRivalHere = hasRival()
    const known = new Map<Mix, RivalBytes>()
    for (const { mix, digits, wanted } of CASES) {
      const [count, hours] = SIZES[mix]
      const made = Array.from({ length: count }, (_, i) => seriesOf(mix, i, hours * HOUR_S))
      const samples = made.reduce((sum, series) => sum + samplesOf(series), 0)
      const title = `${mix}${digits === 0 ? '' : `, ${digits} digits`}`
      const bytes = await wholeBytes(made, hours, digits)
      const part = (name: string, size: number): Rounds => {
        return { title: `${title}${name}`, figures: [size / samples] }
      }
      const ours = part('', bytes.whole)
      const rest = bytes.whole - bytes.seconds - bytes.minutes - bytes.hours
      figures.push(ours, part(': seconds', bytes.seconds), part(': minutes', bytes.minutes))
      figures.push(part(': hours', bytes.hours), part(': names, totals, pages', rest))
      if (!isRivalHere) continue
      const found = known.get(mix) ?? (await rivalBytes(made, hours * HOUR_S))
      const rival = { title: `VictoriaMetrics, ${mix}`, figures: [found.data / samples] }
      const name = `VictoriaMetrics with its index, ${mix}`
      if (!known.has(mix)) figures.push(rival, { title: name, figures: [found.whole / samples] })
      known.set(mix, found)
      verdicts.push(ratioOf(ours, rival, atMost(wanted)))
    }
    const skipped = isRivalHere ? [] : [{ title: 'VictoriaMetrics', reason: NO_RIVAL }]
    return { warmUps: 0, rounds: ROUNDS, figures: figures.map(figureOf), verdicts, skipped }
  },
})
