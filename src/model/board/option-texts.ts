/** A viewer's options as text: what options.ts reads, for links and command lines. */
import { windowText } from './captions.ts'
import type { PlotOption, TriggerOption, YRange } from './options.ts'
import type { Window } from './sma.ts'

/** Writes `PLOT=[MIN],[MAX]`. */
export function yRangeText({ plot, min, max }: YRange): string {
  return `${plot}=${min ?? ''},${max ?? ''}`
}

/** Writes `KEY=[BELOW],[ABOVE]`. */
export function triggerText({ key, below, above }: TriggerOption): string {
  return `${key}=${below ?? ''},${above ?? ''}`
}

/** Writes `KEY=SAMPLES` or `KEY=SECONDSs`. */
export function smaText(key: string, window: Window): string {
  return `${key}=${windowText(window)}`
}

/** Writes `METRIC=PLOT`. */
export function plotText({ name, plot }: PlotOption): string {
  return `${name}=${plot.replaceAll('%', '%25').replaceAll('=', '%3D')}`
}
