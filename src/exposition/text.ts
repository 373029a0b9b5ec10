/**
 * The lexical level of the text formats: numbers, escapes and quoted names; pure.
 * Both formats share it: text 0.0.4 and OpenMetrics 1.0.
 */
import { type Exact, type Exemplar, isInteger, type Kind, type Labels } from '../model/index.ts'
import { cleanLabels } from './names.ts'

const METRIC_NAME = /^[A-Za-z_:][A-Za-z0-9_:]*$/
const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const SPECIAL = /[\\\n"]/g
const SPECIAL_BUT_QUOTE = /[\\\n]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }
/** Number from which on JavaScript itself writes an exponent. */
const PLAIN_LIMIT = 1e21

function escapeQuoted(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character]!)
}

/** Escapes HELP text: OpenMetrics escapes the quote too. */
function escapeHelp(text: string, isOpenMetrics: boolean): string {
  const pattern = isOpenMetrics ? SPECIAL : SPECIAL_BUT_QUOTE
  return text.replace(pattern, (character) => ESCAPES[character]!)
}

/** Writes `key="value",…`; equal texts mean equal label sets. */
export function labelText(labels: Labels): string {
  let text = ''
  for (const [key, value] of labels) {
    const name = LABEL_NAME.test(key) ? key : `"${escapeQuoted(key)}"`
    text += `${text === '' ? '' : ','}${name}="${escapeQuoted(value)}"`
  }
  return text
}

/** Writes a name as TYPE, UNIT and HELP lines do. */
function metadataName(name: string): string {
  return METRIC_NAME.test(name) ? name : `"${escapeQuoted(name)}"`
}

/**
 * Writes what stands before a family's samples.
 * @param name of a counter without `_total`
 * @param unit one that the name ends with
 */
export function familyHead(
  name: string,
  type: Kind,
  help: string,
  unit: string | undefined,
): { readonly text: string; readonly openMetrics: string } {
  const textName = metadataName(type === 'counter' ? `${name}_total` : name)
  const openName = metadataName(name)
  const unitLine = unit === undefined ? '' : `# UNIT ${openName} ${unit}\n`
  return {
    text: `# HELP ${textName} ${escapeHelp(help, false)}\n# TYPE ${textName} ${type}\n`,
    openMetrics:
      `# TYPE ${openName} ${type}\n${unitLine}` + `# HELP ${openName} ${escapeHelp(help, true)}\n`,
  }
}

/** Writes `name{labels}`, or `{"name",labels}` where the name needs UTF-8. */
export function sampleText(name: string, labels: string): string {
  if (METRIC_NAME.test(name)) return labels === '' ? name : `${name}{${labels}}`
  return `{"${escapeQuoted(name)}"${labels === '' ? '' : ','}${labels}}`
}

/** Writes the same, open for one more label whose value and `"}` follow. */
export function sampleOpenText(name: string, labels: string, key: string): string {
  const text = sampleText(name, labels === '' ? `${key}="` : `${labels},${key}="`)
  return text.slice(0, -1)
}

/** Writes what OpenMetrics has behind a sample for an exemplar: ` # {…} value seconds`. */
export function exemplarText({ labels, value, timeMs }: Exemplar, shift = 0): string {
  const text = labelText(cleanLabels(labels, 'counter', 'legacy'))
  return ` # {${text}} ${numberText(value, shift)} ${timeMs / 1000}`
}

/**
 * Writes a value divided by 10^shift (multiplied where that is negative); integers with all their
 * digits, also when shifted.
 */
export function numberText(value: Exact, shift = 0): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    if (Number.isNaN(value)) return 'NaN'
    return value > 0 ? '+Inf' : '-Inf'
  }
  const isExact = isInteger(value) && (typeof value === 'bigint' || Math.abs(value) < PLAIN_LIMIT)
  if (!isExact) return shiftedDouble(Number(value), shift)
  const digits = integerText(value)
  if (shift > 0) return shiftedText(digits, shift)
  return digits === '0' ? digits : digits + '0'.repeat(-shift)
}

/** Shifts a double. Ten to a positive power is exact, to a negative one it is not. */
function shiftedDouble(value: number, shift: number): string {
  const shifted = shift < 0 ? value * 10 ** -shift : value / 10 ** shift
  return Number.isFinite(shifted) ? String(shifted) : numberText(shifted)
}

/** Writes an integer; a double of 2^53 or more has more digits than its shortest form shows. */
function integerText(value: Exact): string {
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? BigInt(value).toString()
    : String(value)
}

function shiftedText(digits: string, shift: number): string {
  const sign = digits.startsWith('-') ? '-' : ''
  const padded = digits.slice(sign.length).padStart(shift + 1, '0')
  const fraction = padded.slice(-shift).replace(/0+$/, '')
  const whole = sign + padded.slice(0, -shift)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
