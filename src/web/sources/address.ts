/** The Sources page's part of the URL: its path alone. */
import type { Address } from '../shell/view.ts'

export const SOURCES: Address = {
  path: 'sources',
  standard: {},
  parse: (rest) => (rest === '' ? {} : undefined),
  format: () => '',
}
