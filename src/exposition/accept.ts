/** Weighted lists of HTTP headers (RFC 9110 §12.5); pure. */

export interface Preference {
  /** Lower-case: a media range or a coding. */
  readonly value: string
  /** Lower-case keys, without `q`. */
  readonly parameters: ReadonlyMap<string, string>
  readonly q: number
}

/** Entries in the order in which they stand; an unreadable weight counts as 1. */
export function parsePreferences(header: string): Preference[] {
  return header
    .split(',')
    .map((entry) => entry.split(';').map((text) => text.trim()))
    .filter(([value]) => value !== '')
    .map(([value, ...texts]) => {
      const parameters = new Map<string, string>()
      for (const text of texts) {
        const [key = '', ...rest] = text.split('=')
        parameters.set(
          key.trim().toLowerCase(),
          rest
            .join('=')
            .trim()
            .replace(/^"(.*)"$/, '$1'),
        )
      }
      const weight = Number(parameters.get('q') ?? 1)
      parameters.delete('q')
      const q = weight >= 0 && weight <= 1 ? weight : 1
      return { value: value!.toLowerCase(), parameters, q }
    })
}

export function acceptsGzip(header: string | undefined): boolean {
  const codings = parsePreferences(header ?? '')
  const named = codings.find(({ value }) => value === 'gzip' || value === 'x-gzip')
  const coding = named ?? codings.find(({ value }) => value === '*')
  return coding !== undefined && coding.q > 0
}
