/**
 * Frames of Wallaroo for tests: made from few fields, read into the object that code works with.
 */

import { exact } from '../../../model/index.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { FrameVisitor } from '../codec/frame-visitor.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { encodeWallaroo } from '../codec.ts'
import { BinCounts } from '../rollup/bin-counts.ts'
import type { CompatibleTotals } from '../rollup/compatible.ts'

export type MetricsFields = Readonly<Record<string, unknown>>

const USUAL = {
  type: 'metrics',
  application: 'golden-app',
  category: 'computation',
  name: 'Check',
  worker: 'initializer',
  pipeline: 'Orders',
  id: 1,
  bins: {},
  period_ns: '2000000000',
  end_ns: '1700000002000000000',
}

/** The frame of one message. */
export function encodeMessage(message: unknown, profile: 'peer' | 'document'): Uint8Array {
  return encodeWallaroo([message], { profile })[0]!
}

/** @param sparse counts by bin, as in the vectors' form */
export function binCountsOf(sparse: Readonly<Record<string, string | bigint>>): BinCounts {
  const counts = new BinCounts()
  for (const [bin, count] of Object.entries(sparse)) counts.add(Number(bin), BigInt(count))
  return counts
}

/** The frame of a message of which only these fields matter. */
export function metricsBytes(
  fields: MetricsFields = {},
  profile: 'peer' | 'document' = 'peer',
): Uint8Array {
  return encodeMessage({ ...USUAL, ...fields }, profile)
}

/** Calls back with the frame of a message, which is valid during the call only. */
export function withFrame(fields: MetricsFields, use: (frame: MetricsFrame) => void): void {
  const scanner = new FrameScanner(
    { maxFrameBytes: 1_048_576, isConversation: false },
    { ...SILENT, metrics: use },
  )
  scanner.push(metricsBytes(fields))
}

/** A window of such bins as the original enters it; its period and end are whole seconds. */
export function withRoundedWindow(
  bins: Readonly<Record<string, string>>,
  times: { readonly endS: number; readonly periodS?: number },
  use: (window: Parameters<CompatibleTotals['add']>[0]) => void,
): void {
  withFrame({ bins }, (frame) => {
    const { filled, filledCount, high, low, isWide } = frame
    const { isMinKnown, isMaxKnown, minHigh, minLow, maxHigh, maxLow } = frame
    const messages = Object.values(bins).reduce((sum, count) => sum + BigInt(count), 0n)
    use({
      ...{ filled, filledCount, high, low, isWide },
      ...{ isMinKnown, isMaxKnown, minHigh, minLow, maxHigh, maxLow },
      ...{ min: () => frame.min(), max: () => frame.max(), total: () => exact(messages) },
      ...{ roundedEndS: times.endS, roundedPeriodS: times.periodS ?? 1 },
    })
  })
}

/** Takes nothing in and throws for a bad frame. */
export const SILENT: FrameVisitor = {
  connect() {},
  join() {},
  metrics() {},
  note() {},
  reject(code, detail) {
    throw new Error(`${code}: ${detail}`)
  },
}
