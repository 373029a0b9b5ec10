/** EventCounters on the page: no page of their own, but words for what the hub tells of them. */
import { counted } from '../../../viewer/format/number.ts'
import type { View } from '../../../web/shell/view.ts'

export const view: View = {
  dialect: 'eventcounters',
  words: {
    facts: {
      foreign: counted('window of another interval', 'windows of another interval'),
      boundaries: counted('boundary', 'boundaries'),
    },
    limits: { 'eventcounters.sessionsLimit': 'EventCounters clients' },
  },
}
