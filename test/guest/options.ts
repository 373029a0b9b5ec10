/** Options of Semaphore's sides: their one home, with defaults and limits. */
import { integer, section, text, type ValuesOf } from '../../src/dialects/options.ts'

const EMIT_OPTIONS = {
  prefix: text({ default: '', lengthMax: 50, description: 'in front of every name that is sent' }),
}

export const OPTIONS = {
  maxLineBytes: integer({
    min: 16,
    max: 65_536,
    default: 1024,
    flag: '--semaphore-max-line <bytes>',
    description: 'a longer line is refused',
  }),
  lampsLimit: integer({ default: 100, description: 'names of lamps that are remembered' }),
  emit: section(EMIT_OPTIONS),
}

export type SemaphoreOptions = ValuesOf<typeof OPTIONS>
