/** Maker of the instruments that requests are recorded with, found again by their names. */
import type { Counter } from '../plain/counter.ts'
import type { Gauge, GaugeOptions } from '../plain/gauge.ts'
import type { Histogram } from '../plain/histogram.ts'
import type { InstrumentOptions } from '../plain/instrument.ts'

export interface InstrumentMaker {
  counter(name: string, options: InstrumentOptions<never>): Counter<never>
  gauge<Label extends string>(name: string, options: GaugeOptions<Label>): Gauge<Label>
  histogram<Label extends string>(name: string, options: InstrumentOptions<Label>): Histogram<Label>
}
