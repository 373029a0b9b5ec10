/** Samples of a stretch of time as they were measured (api.ts SamplesEvent), in pieces. */
import type { HubView } from '../../hub/view.ts'
import { HttpError } from '../http-error.ts'
import { packGroup, SampleColumns } from '../live/packed-samples.ts'
import type { Pieces } from '../pieces.ts'

/** Values of one answer: some 20 MB of text. */
const VALUES_LIMIT = 2_000_000

/**
 * Writes the answer.
 * @throws {HttpError} 400 for more than 2,000,000 values
 */
export function samplesJson(
  view: HubView,
  ids: readonly number[],
  fromMs: number,
  toMs: number,
): Pieces<string> {
  const columns = new SampleColumns(ids)
  const slices = view.samples.logs
    .flatMap((log) => log.between(fromMs, toMs))
    .filter(({ block }) => columns.of(block.layout).columns.length > 0)
  let values = 0
  for (const { block, from, to } of slices) {
    values += (to - from) * columns.of(block.layout).columns.length
  }
  if (values > VALUES_LIMIT) {
    const hint = 'ask for less time or fewer series, or for a range with a step'
    throw new HttpError(400, 'too_many_samples', `${values} values, limit ${VALUES_LIMIT}`, hint)
  }
  return (function* () {
    yield `{"endMs":${toMs},"groups":[`
    let separator = ''
    for (const slice of slices) {
      yield separator + JSON.stringify(packGroup(slice, columns))
      separator = ','
    }
    yield ']}'
  })()
}
