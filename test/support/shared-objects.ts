/** What the sources of one hub have in common, for tests of them. */
import type { SourceContext } from '../../src/dialects/endpoints.ts'

/** Makes a hub's memory of such an object: the first source makes it. */
export function sharedObjects(): SourceContext['shared'] {
  let known: object | undefined
  return <T extends object>(create: () => T): T => {
    known ??= create()
    return known as T
  }
}
