/** P11, further: what a page costs that watches a hub with ten thousand series. */
import { atMost, figureOf, limitOf, type Rounds } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { DENSITIES, LargePage } from './page/large.ts'

const SERIES = 10_000
const ROUNDS = 2
const ELEMENTS_WANTED = 2500
const SHARE_WANTED = 0.06
const TASK_MS_WANTED = 50

await ask({
  name: 'P11',
  asks: 'What does a page cost that watches ten thousand series?',
  data: `${SERIES} histograms that change once a second, in one group`,
  method: [
    'Chromium at 1440 × 900, 15 s after it was opened: elements, processor time of the process',
    'that shows the page, and bytes of requests besides the live stream, for 10 s;',
    'and at 2560 × 2160, as lines, with a cursor that moves ten times a second, so that all that',
    'is visible is drawn as often: the longest task by its processor time',
  ],
  unit: 'of a core',

  async measure() {
    const page = await LargePage.start(SERIES)
    if (typeof page === 'string') {
      const skipped = [{ title: 'a page with many series', reason: page }]
      return { warmUps: 0, rounds: ROUNDS, figures: [], verdicts: [], skipped }
    }
    const opened = []
    for (const density of DENSITIES) {
      const rounds = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await page.open(density))
      opened.push({ density, rounds })
    }
    const redrawn = []
    for (let round = 0; round < ROUNDS; round++) redrawn.push(await page.redraw())
    await page.stop()
    const tasks: Rounds = {
      title: 'longest task while all that is visible is drawn ten times a second',
      figures: redrawn.map(({ longestMs }) => longestMs),
      unit: 'ms',
    }
    const visible: Rounds = {
      title: 'lines that are visible then',
      figures: redrawn.map(({ visible }) => visible),
      unit: '',
    }
    const bytes = opened.map(({ density, rounds }) => {
      const figures = rounds.map(({ bytes }) => bytes)
      return { title: `page as ${density}, to it besides`, figures, unit: 'bytes a second' }
    })
    const shares = opened.map(({ density, rounds }) => {
      return { title: `page as ${density}`, figures: rounds.map(({ share }) => share) }
    })
    const elements = opened.map(({ density, rounds }) => {
      const figures = rounds.map(({ elements }) => elements)
      return { title: `page as ${density}, elements`, figures, unit: '' }
    })
    const worst = Math.max(...shares.map(({ figures }) => spreadOf(figures).median))
    return {
      ...{ warmUps: 0, rounds: ROUNDS, skipped: [] },
      figures: [visible, ...bytes].map(figureOf),
      verdicts: [
        ...elements.map((each) => limitOf(each, atMost(ELEMENTS_WANTED))),
        ...shares.map((each) => limitOf(each, atMost(SHARE_WANTED))),
        limitOf(tasks, atMost(TASK_MS_WANTED)),
      ],
      means: [
        `A page that watches ${SERIES} series takes ${figureText(worst * 100)} % of a core at most`,
      ],
    }
  },
})
