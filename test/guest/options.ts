/** Options of Semaphore's sides: their one home, with defaults and limits. */
import {
  addressOptions,
  integer,
  reconnectOptions,
  section,
  TEXT_PORT,
  text,
  type ValuesOf,
} from '../../src/dialects/options.ts'

export const RECEIVE_OPTIONS = {
  maxLineBytes: integer({
    min: 16,
    max: 65_536,
    default: 1024,
    flag: '--semaphore-max-line <bytes>',
    description: 'a longer line is refused',
  }),
}

export const OPTIONS = {
  ...RECEIVE_OPTIONS,
  lampsLimit: integer({ default: 100, description: 'names of lamps that are remembered' }),
  emit: section({
    prefix: text({
      default: '',
      lengthMax: 50,
      description: 'in front of every name that is sent',
    }),
  }),
}

export type SemaphoreOptions = ValuesOf<typeof OPTIONS>

/** Address of a server in a program. */
export const ADDRESS_OPTIONS = addressOptions(TEXT_PORT.number)

/** Options of a client in a program. */
export const CLIENT_OPTIONS = {
  ...ADDRESS_OPTIONS,
  ...reconnectOptions({ firstMs: 100, limitMs: 10_000, jitter: 0 }),
}
