/** What every format says, one sample after the other: the border between formats and meanings. */
import type { Exact, Histogram } from '../../../model/index.ts'
import type { MetricType, SampleErrorCode } from '../spec.ts'

/** Metric of which samples are; the same object for all of them that come in a row. */
export interface Family {
  readonly name: string
  type: MetricType
  help: string
  unit: string
}

export type Pairs = readonly (readonly [name: string, value: string])[]

export interface Exemplar {
  readonly labels: Pairs
  readonly value: number
  /** Unix ms; absent for none. */
  readonly timeMs?: number
}

/** Name and labels of a sample, the name not among the labels. */
export interface SeriesText {
  readonly name: string
  readonly labels: Pairs
}

/** A cursor over samples; what it holds is of the current one. */
export interface SampleScan {
  /** Goes to the next sample, or to a line that is none. @returns false at the end */
  next(): boolean
  /** Reason why the current one can't be read. */
  readonly problem: SampleErrorCode | undefined
  /** Place of the current one in the bytes. */
  readonly from: number
  readonly to: number
  readonly family: Family
  /** Text that is the same whenever this series of this exposition comes. */
  key(): string
  /** Reads name and labels: needed once for each series. */
  series(): SeriesText | SampleErrorCode
  readonly value: Exact
  /** Unix ms; NaN for none. */
  readonly timeMs: number
  /** Unix ms since which the total counts; NaN where it is not told with the sample. */
  readonly createdMs: number
  readonly exemplar: Exemplar | undefined
  /** Native histogram, which has no value. */
  readonly histogram: NativeReading | undefined
  /** Reason why nothing at all may be taken, known at the end. */
  readonly failure: 'bad_protobuf' | 'cut_off' | undefined
}

export interface NativeReading {
  readonly histogram: Histogram
  readonly exemplars: readonly Exemplar[]
}
