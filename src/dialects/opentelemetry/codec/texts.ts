/** Attributes as labels: values of every type are texts. */
import type { JsonMessage } from '../../../wire/protobuf/schema.ts'

/**
 * Writes an AnyValue as the text of a label: lists and maps as JSON, as the OpenTelemetry
 * specification has it for formats that know texts alone.
 */
export function labelText(value: JsonMessage | undefined): string {
  const plain = plainOf(value)
  if (typeof plain === 'string') return plain
  return plain === undefined ? '' : JSON.stringify(plain)
}

function plainOf(value: JsonMessage | undefined): unknown {
  if (value === undefined) return undefined
  if (value.stringValue !== undefined) return value.stringValue
  if (value.boolValue !== undefined) return value.boolValue
  if (value.intValue !== undefined) {
    const number = Number(value.intValue)
    return Number.isSafeInteger(number) ? number : value.intValue
  }
  if (value.doubleValue !== undefined) return value.doubleValue
  if (value.bytesValue !== undefined) return value.bytesValue
  const { arrayValue, kvlistValue } = value as {
    arrayValue?: { values?: JsonMessage[] }
    kvlistValue?: { values?: { key?: string; value?: JsonMessage }[] }
  }
  if (arrayValue !== undefined) {
    return (arrayValue.values ?? []).map((each) => plainOf(each) ?? null)
  }
  if (kvlistValue === undefined) return undefined
  const pairs = (kvlistValue.values ?? []).map((each) => [each.key ?? '', plainOf(each.value)])
  return Object.fromEntries(pairs) as unknown
}
