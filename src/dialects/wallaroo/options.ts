/** Options of Wallaroo's sides: their one home, with defaults and limits. */
import {
  addressOptions,
  boolean,
  bytes,
  choice,
  defaultsOf,
  integer,
  number,
  reconnectOptions,
  section,
  text,
  type ValuesOf,
} from '../options.ts'
import { DEFAULT_PORT, NAME_PREFIX } from './spec.ts'

const profile = choice(['document', 'peer'], {
  default: 'peer',
  description: 'order of min and max, and header, of what is sent',
})
const arraySizes = boolean({
  default: false,
  description: 'under profile document: the 65 bins have their number in front, as arrays have',
})

/** Options of encoding besides the profile. */
export const ENCODE_OPTIONS = { arraySizes: { ...arraySizes, flag: '--array-sizes' } }

/** The peer's pauses are all alike. */
const pauses = reconnectOptions({ firstMs: 250, limitMs: 250, jitter: 0 })
const maxFrameBytes = bytes({
  min: 1024,
  max: 1_073_741_824,
  default: 1_048_576,
  description: 'length field; a larger one ends the connection',
})

const EMIT_OPTIONS = { profile, arraySizes, ...pauses }

/** Says what is wrong with sizes of arrays, of which only the document speaks. */
export function sizesProblem({
  profile,
  arraySizes,
}: {
  readonly profile: string
  readonly arraySizes: boolean
}) {
  if (!arraySizes || profile === 'document') return undefined
  return { option: 'arraySizes', wanted: 'want it with profile document only' }
}

export const OPTIONS = {
  maxFrameBytes,
  retentionMs: integer({
    min: 60_000,
    max: 86_400_000,
    default: 3_600_000,
    description: 'windows are kept so long for charts, and series of workers that are gone',
  }),
  windowBytesLimit: bytes({
    // what is kept has addresses of 32 bits, and series stand beside it
    max: 2_147_483_648,
    default: 268_435_456,
    description: 'memory of these windows; the oldest of a series go first',
  }),
  includeSkew: boolean({
    default: true,
    description: 'bin 64 counts in histograms and views too; false = it is clock skew, and apart',
  }),
  namePrefix: text({
    lengthMax: 100,
    default: NAME_PREFIX,
    description: 'in front of names of series',
  }),
  workersLimit: integer({
    default: 10_000,
    description: 'workers known at once that have joined and sent no window',
  }),
  emit: section(EMIT_OPTIONS, { check: sizesProblem }),
}

/** Options of windows and how they are sent: what a reporter goes by. */
export const REPORT_OPTIONS = {
  profile,
  arraySizes,
  binning: choice(['document', 'peer'], {
    default: 'document',
    description: 'which bin takes an exact power of two; independent of the profile',
  }),
  periodMs: number({
    min: 1,
    max: 3_600_000,
    default: 2000,
    description: 'length of a window',
  }),
  idleFlush: boolean({
    default: true,
    description:
      'a timer closes a window at its end, and close the open one; the peer does neither',
  }),
}

export const REPORT_DEFAULTS = defaultsOf(REPORT_OPTIONS)

/** Settings of a reporter, checked and complete. */
export type ReportSettings = ValuesOf<typeof REPORT_OPTIONS> & {
  /**
   * Rule of which window takes the sample that comes too late; follows the profile unless given.
   */
  readonly windowRule: 'document' | 'peer'
}

/** Options of a client's one connection. */
export const LINK_OPTIONS = {
  ...addressOptions(DEFAULT_PORT),
  ...pauses,
  bufferWindows: integer({
    min: 0,
    default: 0,
    description:
      'newest frames kept without a connection, of up to `maxPendingBytes`; the peer keeps none',
  }),
  maxPendingBytes: integer({
    min: 0,
    default: 1_048_576,
    description:
      'that may wait for a hub that reads slowly, or is not there; the peer has no limit',
  }),
}

/** Options of a server in a program. */
export const SERVER_OPTIONS = { ...addressOptions(DEFAULT_PORT), maxFrameBytes }

export const RECEIVE_DEFAULTS = { maxFrameBytes: maxFrameBytes.default }
