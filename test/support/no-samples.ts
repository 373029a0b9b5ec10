/** Taker of samples that keeps none, for tests of sources. */
import type { SampleSink } from '../../src/dialects/endpoints.ts'

export const NO_SAMPLES: SampleSink = { add: () => {} }
