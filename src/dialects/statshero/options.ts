/** Options of Stats Hero's sides: their one home, with defaults and limits. */
import type { Profile } from '../decoder.ts'
import { bytes, choice, defaultsOf, integer, map, section, type ValuesOf } from '../options.ts'

const profile = (description: string) =>
  choice(['document', 'peer'], { default: 'peer', description })

export const EMIT_OPTIONS = {
  profile: profile('grammar of what is sent'),
  /** 1500 of an Ethernet frame less IPv6 and UDP headers, with room for a tunnel's. */
  maxDatagramBytes: integer({ min: 64, max: 65_507, default: 1432, description: 'whole packet' }),
  counterAs: choice(['m', 'mr'], {
    default: 'm',
    description: 'increments, or totals that survive loss',
  }),
  histogramAs: choice(['rate', 'repeat'], {
    default: 'rate',
    description: 'a line per bucket with a sample rate, or a line per observation',
  }),
}

export const OPTIONS = {
  profile: profile('grammar that the listener takes'),
  maxFrameBytes: bytes({
    min: 64,
    max: 1_073_741_824,
    default: 1_048_576,
    description: 'TCP body',
  }),
  maxInflatedBytes: bytes({ min: 1, default: 1_048_576, description: 'gzip body once unpacked' }),
  maxValueDigits: integer({ max: 100, default: 100, description: 'leading zeros counted' }),
  maxKeyBytes: integer({ max: 4096, default: 4096, description: 'longer keys are refused' }),
  frameTimeoutMs: integer({ min: 0, default: 30_000, description: 'for one TCP frame; 0 = any' }),
  negativeMeter: choice(['split', 'refuse'], {
    default: 'split',
    description: 'a negative increment counts in a second part, or is refused',
  }),
  counterBits: map(choice([32, 64], { default: 64, description: 'bits' }), {
    description: 'width of meter readers by key; * in a key is any run of characters',
  }),
  emit: section(EMIT_OPTIONS),
}

/** Options of the receiving side; `document` takes only what the document's grammar allows. */
export type ReceiveOptions = Omit<ValuesOf<typeof OPTIONS>, 'emit'>

const { emit: _, ...receive } = defaultsOf(OPTIONS)
export const RECEIVE_DEFAULTS: ReceiveOptions = receive

/** Options of the sending side that shape its bytes. */
export interface EmitOptions {
  readonly profile: Profile
  /** Whole packet, header included. A single longer line travels alone. */
  readonly maxDatagramBytes: number
  /** Cleans keys to `_` and rounds values instead of throwing. */
  readonly lenient: boolean
}

const { profile: emitProfile, maxDatagramBytes } = defaultsOf(EMIT_OPTIONS)
export const EMIT_DEFAULTS: EmitOptions = {
  profile: emitProfile,
  maxDatagramBytes,
  lenient: false,
}
