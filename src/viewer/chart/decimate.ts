/**
 * Decimation, where there are more points than pixels: of each column of pixels the least and the
 * greatest value stay, at their own instants, so that a single spike survives and nothing is
 * invented. Columns are laid on the absolute grid of time: the picture does not flicker while it
 * moves.
 */

/** Marks the end of a run of known values in the list of indices. */
export const GAP = -1

/**
 * @param values one per step, NaN where nothing is known
 * @param first absolute number of the first step, for the grid
 * @param group steps per column of pixels; 1 keeps everything
 * @param out indices of the values that stay, each run followed by GAP; 2 × values.length + 2 long
 * @returns entries written
 */
export function decimate(
  values: Float64Array,
  first: number,
  group: number,
  out: Int32Array,
): number {
  let length = 0
  let at = 0
  while (at < values.length) {
    if (Number.isNaN(values[at]!)) {
      at += 1
      continue
    }
    let end = at
    while (end < values.length && !Number.isNaN(values[end]!)) end += 1
    length = keepRun(values, at, end, first, group, out, length)
    out[length] = GAP
    length += 1
    at = end
  }
  return length
}

function keepRun(
  values: Float64Array,
  from: number,
  to: number,
  first: number,
  group: number,
  out: Int32Array,
  start: number,
): number {
  let length = start
  let at = from
  while (at < to) {
    const end = Math.min(to, (Math.floor((first + at) / group) + 1) * group - first)
    let least = at
    let most = at
    for (let i = at + 1; i < end; i += 1) {
      if (values[i]! < values[least]!) least = i
      if (values[i]! > values[most]!) most = i
    }
    out[length] = Math.min(least, most)
    length += 1
    if (least !== most) {
      out[length] = Math.max(least, most)
      length += 1
    }
    at = end
  }
  // The newest value is what the number beside the chart says: the line ends there.
  if (out[length - 1] !== to - 1) {
    out[length] = to - 1
    length += 1
  }
  return length
}
