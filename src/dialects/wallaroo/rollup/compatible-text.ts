/**
 * How the original Metrics UI writes its numbers and names (§8.1); for its compatible mode only.
 */

/** Words of the bounds 2^0 to 2^30 ns, rounded as the original rounds them. */
const LATENCY_WORDS = [
  ...['1 ns', '2 ns', '4 ns', '8 ns', '16 ns', '32 ns', '64 ns', '128 ns', '256 ns', '512 ns'],
  ...['1 μs', '2 μs', '4 μs', '8 μs', '16 μs', '32 μs', '66 μs', '130 μs', '260 μs'],
  ...['0.5 ms', '1 ms', '2 ms', '4 ms', '8 ms', '16 ms', '34 ms', '66 ms', '134 ms', '260 ms'],
  ...['0.5 s', '1 s'],
] as const

const LATENCY_LABELS = new Map<string, string>([
  ['0', '0'],
  ...LATENCY_WORDS.map((words, bin) => [`${2 ** bin}`, `≤ ${words}`] as const),
])

/** @param boundNs of a bin, as decimal text; `0` says that there is no data */
export function latencyLabel(boundNs: string): string {
  return LATENCY_LABELS.get(boundNs) ?? '> 1 s'
}

/** Writes messages a second in thousands: two decimals up to 10k, none above. */
export function throughputText(perSecond: number): string {
  const thousands = perSecond > 10_000 ? perSecond / 1000 : perSecond / 10
  return perSecond > 10_000 ? `${Math.round(thousands)}k` : `${Math.round(thousands) / 100}k`
}

/** Writes title case; a name in capitals stays as it is. */
export function titleCase(name: string): string {
  if (name === name.toUpperCase()) return name
  return name.toLowerCase().replace(/(?:^|\s|-)\S/g, (start) => start.toUpperCase())
}
