/** What can be typed at the foot of the screen: the options of the command line, by their forms. */
import type { Board } from '../../../../model/board/board.ts'
import { plotText, smaText, triggerText, yRangeText } from '../../../../model/board/option-texts.ts'
import {
  parseBounded,
  parsePlot,
  parseSma,
  parseTrigger,
  parseYRange,
  TIME_WINDOW_S,
} from '../../../../model/board/options.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import type { Question } from './prompt.ts'

export function yRangeQuestion(board: Board, plot: Plot): Question {
  const { name } = plot
  return {
    title: 'Y range',
    hint: 'PLOT=MIN,MAX; an end that is empty is automatic',
    text: yRangeText({ plot: name, ...board.yRanges.typed(name) }),
    onEnter(text) {
      const range = parseYRange(text)
      if (range === undefined) return 'want PLOT=[MIN],[MAX], with MIN below MAX'
      board.yRanges.set(range.plot, range)
      return undefined
    },
  }
}

export function averageQuestion(board: Board, plot: Plot): Question {
  const others = plot.lines.map(({ key }) => smaText(key, board.averageOf(key) ?? { samples: 0 }))
  return {
    title: 'Moving average',
    hint: 'LINE=SAMPLES or LINE=2s, 0 = off; Tab: next line',
    text: others[0] ?? '',
    others: [...others.slice(1), ...others.slice(0, 1)],
    onEnter(text) {
      const average = parseSma(text)
      if (average === undefined) return 'want LINE=SAMPLES or LINE=SECONDSs'
      const { key, ...window } = average
      board.setAverage(key, window)
      return undefined
    },
  }
}

export function triggerQuestion(board: Board, plot: Plot): Question {
  const others = plot.lines.map(({ key }) => {
    const set = board.events.thresholds.get(key) ?? { below: null, above: null }
    return triggerText({ key, ...set })
  })
  return {
    title: 'Trigger',
    hint: 'LINE=BELOW,ABOVE; empty = none; Tab: next line',
    text: others[0] ?? '',
    others: [...others.slice(1), ...others.slice(0, 1)],
    onEnter(text) {
      const trigger = parseTrigger(text)
      if (trigger === undefined) return 'want LINE=[BELOW],[ABOVE]'
      const { key, below, above } = trigger
      board.events.edit(key, { below, above })
      return undefined
    },
  }
}

export function plotQuestion(board: Board, plot: Plot): Question {
  const others = plot.lines.map(({ name }) => plotText({ name, plot: plot.name }))
  return {
    title: 'Group',
    hint: 'NAME=PLOT; empty = as its sender says; Tab: next line',
    text: others[0] ?? '',
    others: [...others.slice(1), ...others.slice(0, 1)],
    onEnter(text) {
      const chosen = parsePlot(text)
      if (chosen === undefined) return 'want NAME=PLOT'
      board.assign(chosen.name, chosen.plot === '' ? undefined : chosen.plot)
      return undefined
    },
  }
}

export function windowQuestion(board: Board): Question {
  return {
    title: 'Time window',
    hint: 'seconds, 1 to 600',
    text: String(board.windowS),
    onEnter(text) {
      const windowS = parseBounded(text, TIME_WINDOW_S)
      if (windowS === undefined) return 'want seconds, 1 to 600'
      board.windowS = windowS
      return undefined
    },
  }
}
