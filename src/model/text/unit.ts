/**
 * Units as people write them. Senders of OpenTelemetry state them in codes of UCUM ("Cel", "MBy",
 * "{request}"), others in symbols and words, which stay as they are.
 */

/** Symbols by code: of those codes that are none themselves. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['1', ''],
  ['[degF]', '°F'],
  ['deg', '°'],
  ['d', 'days'],
])
/** Codes that take prefixes, also those of powers of 2; micro is `u`. */
const PREFIXED = /^([TGMkmunp]|[KMGT]i)?(Cel|Ohm|By)$/
const PREFIXED_SYMBOLS: Readonly<Record<string, string>> = { Cel: '°C', Ohm: 'Ω', By: 'B' }
/** Annotation of UCUM, which says what is counted. */
const ANNOTATION = /^\{([^{}]*)\}$/

/** Unit of what is counted or measured, and what it is per. */
const PER = /^(\{[^{}]*\}|[^/{}]*)(\/.*)$/s

/**
 * Writes a unit as people do: `°C` for `Cel`, `request` for `{request}`, `B/s` for `By/s`; others
 * unchanged.
 */
export function unitSymbol(unit: string): string {
  const [, above, per = ''] = PER.exec(unit) ?? []
  return above === undefined ? plainSymbol(unit) : plainSymbol(above) + per
}

function plainSymbol(unit: string): string {
  const symbol = SYMBOLS.get(unit)
  if (symbol !== undefined) return symbol
  const [, prefix = '', code] = PREFIXED.exec(unit) ?? []
  if (code !== undefined) return (prefix === 'u' ? 'µ' : prefix) + PREFIXED_SYMBOLS[code]
  return ANNOTATION.exec(unit)?.[1] ?? unit
}
