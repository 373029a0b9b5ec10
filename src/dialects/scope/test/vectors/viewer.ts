/** Runs the vectors of scope's viewer, against the functions that page and terminal share. */

import { Mismatch, near, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import {
  parseColor,
  parseSma,
  parseSource,
  parseTrigger,
  parseYRange,
} from '../../../../model/board/options.ts'
import { movingAverage } from '../../../../model/board/sma.ts'
import { type Thresholds, Trigger, type TriggerChange } from '../../../../model/board/trigger.ts'

export function checkColor({ label, color }: VectorCase): undefined {
  same('colour', parseColor(label as string) ?? null, color)
}

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  '--y-range': parseYRange,
  '--sma': parseSma,
  '--trigger': parseTrigger,
  SOURCE: parseSource,
}

export function checkOption({ option, arg, result }: VectorCase): undefined {
  const parse = PARSERS[option as string]
  if (parse === undefined) throw new Mismatch('option', Object.keys(PARSERS), option)
  same('parsed', parse(arg as string) ?? null, result)
}

export function checkAverage({ window, in: values, out }: VectorCase): undefined {
  const averages = movingAverage((values as unknown[]).map(f64), window as number)
  const shown = Array.from(averages, (value) => (Number.isNaN(value) ? null : value))
  same('length', shown.length, (out as unknown[]).length)
  near('average', shown, out, 1e-12)
}

type Step =
  | { readonly action: string; readonly key: string; readonly set?: Partial<Thresholds> }
  | { readonly t: number; readonly values: Readonly<Record<string, unknown>> }

export function checkTrigger(testCase: VectorCase): undefined {
  const trigger = new Trigger(testCase.window_s as number)
  for (const { key, below, above } of testCase.metrics as (Thresholds & { key: string })[]) {
    trigger.edit(key, { below, above })
  }
  const changes = (testCase.steps as Step[]).flatMap((step) => take(trigger, step))
  const shown = changes.map(shape)
  same('number of changes', shown.length, (testCase.expect as unknown[]).length)
  near('changes', shown, testCase.expect, 1e-9)
}

function take(trigger: Trigger, step: Step): TriggerChange[] {
  if ('values' in step) {
    const { t, values } = step
    return trigger.sample(t, (key) => (Object.hasOwn(values, key) ? f64(values[key]) : undefined))
  }
  if (step.action === 'edit') return trigger.edit(step.key, step.set ?? {})
  if (step.action === 'reconnect') return trigger.reconnect()
  // F5, P, Pause and Resume clear alike (8.2).
  if (['clear', 'reset', 'resume', 'pause'].includes(step.action)) return trigger.clear()
  throw new Mismatch('action', 'edit, clear or reconnect', step.action)
}

function shape(change: TriggerChange): object {
  if (change.kind === 'hit') return { hit: change.event }
  if (change.kind === 'cleared') return { cleared: true }
  return { paused_at: change.t, view: [change.from, change.to] }
}

function f64(value: unknown): number {
  return typeof value === 'number' ? value : Number((value as { $f64: string }).$f64)
}
