/**
 * Misspelt fields of a message that is to be encoded. No dialect has to list its fields: encoding
 * shows them, as it asks for those that it knows. A field that it asks for and does not find, and
 * one beside it that it leaves alone and that is spelled nearly so, are one.
 */
import { nearestWord } from '../../model/text/nearest.ts'

/** A field that is there under a wrong name. */
export interface Misspelt {
  readonly field: string
  readonly meant: string
}

/** Fields of one object of a message, and which of them were asked for. */
interface Asked {
  readonly fields: ReadonlySet<string>
  readonly found: Set<string>
  readonly missing: Set<string>
}

/**
 * Finds fields that `encode` looked for under another name, in the order in which it came to their
 * objects.
 * @param encode is called with copies of the messages that know what is read; if it throws, what it
 * asked for until then counts
 */
export function misspeltFields(
  messages: readonly unknown[],
  encode: (messages: readonly unknown[]) => unknown,
): Misspelt[] {
  const asked: Asked[] = []
  const watched = messages.map((message) => watch(message, asked))
  try {
    encode(watched)
  } catch {
    // the caller knows: it has encoded the messages themselves
  }
  return asked.flatMap(({ fields, found, missing }) =>
    [...fields].flatMap((field) => {
      const meant = found.has(field) ? undefined : nearestWord(field, missing)
      return meant === undefined ? [] : [{ field, meant }]
    }),
  )
}

/** Writes `ky: did you mean key?` for each, or nothing. */
export function misspeltText(misspelt: readonly Misspelt[]): string {
  return misspelt.map(({ field, meant }) => `${field}: did you mean ${meant}?`).join(' ')
}

/** Wraps plain objects and arrays, also those inside, so that `asked` has what is read of them. */
function watch(value: unknown, asked: Asked[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => watch(each, asked))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const inside = Object.entries(value).map(([key, each]) => [key, watch(each, asked)])
  const copy = Object.fromEntries(inside) as Record<string, unknown>
  const fields = new Set(Object.keys(copy))
  const found = new Set<string>()
  const missing = new Set<string>()
  asked.push({ fields, found, missing })
  const note = (key: string | symbol): void => {
    if (typeof key !== 'string') return
    if (fields.has(key)) found.add(key)
    else if (!(key in Object.prototype)) missing.add(key)
  }
  return new Proxy(copy, {
    get(target, key) {
      note(key)
      return Reflect.get(target, key)
    },
    has(target, key) {
      note(key)
      return Reflect.has(target, key)
    },
    getOwnPropertyDescriptor(target, key) {
      note(key)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys(target) {
      for (const key of fields) found.add(key)
      return Reflect.ownKeys(target)
    },
  })
}
