/** Takers that keep nothing of what most sources do not have, for tests of sources. */
import type { SampleSink, SourceContext } from '../../src/dialects/endpoints.ts'

const NO_SAMPLES: SampleSink = { add: () => {} }

/** Part of a source's context for one that has neither samples nor seconds of a hub. */
export const NO_EXTRAS: Pick<SourceContext, 'samples' | 'openSeconds' | 'startId'> = {
  samples: NO_SAMPLES,
  openSeconds: () => {
    throw new Error('only hubs tell of seconds')
  },
  startId: 'a start',
}
