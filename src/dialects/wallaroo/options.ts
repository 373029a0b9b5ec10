/** Options of Wallaroo's sides: their one home, with defaults and limits. */
import { boolean, bytes, choice, integer, section, text } from '../options.ts'
import { NAME_PREFIX } from './spec.ts'

export const EMIT_OPTIONS = {
  profile: choice(['document', 'peer'], {
    default: 'peer',
    description: 'order of min and max, and header, of what is sent',
  }),
  reconnectMs: integer({ default: 250, description: 'between two attempts' }),
}

export const OPTIONS = {
  maxFrameBytes: bytes({
    min: 1024,
    max: 1_073_741_824,
    default: 1_048_576,
    description: 'length field; a larger one ends the connection',
  }),
  retentionMs: integer({
    min: 60_000,
    max: 86_400_000,
    default: 3_600_000,
    description: 'windows are kept so long for charts, and series of workers that are gone',
  }),
  windowBytesLimit: bytes({
    default: 268_435_456,
    description: 'memory of these windows; the oldest of a series go first',
  }),
  includeSkew: boolean({
    default: false,
    description: 'latencies that clocks made impossible count in histograms too',
  }),
  namePrefix: text({
    lengthMax: 100,
    default: NAME_PREFIX,
    description: 'in front of names of series',
  }),
  workersLimit: integer({
    default: 10_000,
    description: 'workers known at once, connected or not',
  }),
  emit: section(EMIT_OPTIONS),
}
