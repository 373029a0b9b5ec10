/** Options of Stats Hero's sides: their one home, with defaults and limits. */

import {
  addressOptions,
  boolean,
  bytes,
  choice,
  defaultsOf,
  integer,
  map,
  reconnectOptions,
  section,
  TEXT_PORT,
  text,
  type ValuesOf,
} from '../options.ts'
import { UNIT_PATTERN } from './units.ts'

const profile = (description: string) =>
  choice(['document', 'peer'], { default: 'peer', description })

const EMIT_OPTIONS = {
  profile: profile('grammar of what is sent'),
  /** 1500 of an Ethernet frame less IPv6 and UDP headers, with room for a tunnel's. */
  maxDatagramBytes: integer({ min: 64, max: 65_507, default: 1432, description: 'whole packet' }),
  counterAs: choice(['m', 'mr'], {
    default: 'm',
    description: 'increments, or totals that survive loss',
  }),
  histogramAs: choice(['rate', 'repeat'], {
    default: 'rate',
    description:
      'a line per bucket with a sample rate, or per observation, which estatsd needs: no rates',
  }),
}

const GRAPHITE_OPTIONS = {
  flushIntervalS: integer({
    max: 3600,
    default: 10,
    description: 'seconds of which each flush to Graphite is',
  }),
  underFive: choice(['real', 'zero'], {
    default: 'real',
    description: 'a timer of less than five values: its numbers, or zeros as estatsd writes them',
  }),
  queueBytesLimit: bytes({
    default: 67_108_864,
    description: 'lines that wait while Graphite is away; of more, the oldest are dropped',
  }),
}
export type GraphiteOptions = ValuesOf<typeof GRAPHITE_OPTIONS>
export const GRAPHITE_DEFAULTS: GraphiteOptions = defaultsOf(GRAPHITE_OPTIONS)

/** Options of every listener. */
export const LINE_OPTIONS = {
  profile: profile('grammar that the listener takes'),
  maxFrameBytes: bytes({
    min: 64,
    max: 1_073_741_824,
    default: 1_048_576,
    description: 'TCP body',
  }),
  maxInflatedBytes: bytes({ min: 1, default: 1_048_576, description: 'gzip body once unpacked' }),
  maxValueDigits: integer({ max: 100, default: 100, description: 'leading zeros counted' }),
  frameTimeoutMs: integer({ min: 0, default: 30_000, description: 'for one TCP frame; 0 = any' }),
}

/** Options of a listener whose lines become series. */
export const RECEIVE_OPTIONS = {
  ...LINE_OPTIONS,
  maxKeyBytes: integer({ max: 4096, default: 4096, description: 'longer keys are refused' }),
  negativeMeter: choice(['split', 'refuse'], {
    default: 'split',
    description: 'a negative increment counts in a second part, or is refused',
  }),
  counterBits: map(choice([32, 64], { default: 64, description: 'bits' }), {
    description: 'width of meter readers by key; * in a key is any run of characters',
  }),
  units: map(text({ default: '', description: 'unit; empty for none' }), {
    keys: UNIT_PATTERN,
    description: 'units by key (`*.wait`) or type and key (`h:*.size`), before the usual ones',
  }),
}

export const OPTIONS = {
  ...RECEIVE_OPTIONS,
  emit: section(EMIT_OPTIONS),
  graphite: section(GRAPHITE_OPTIONS),
}

/** Options of where a server in a program listens. */
export const ADDRESS_OPTIONS = addressOptions(TEXT_PORT.number)

/** Settings of a server in a program. */
export type LineOptions = ValuesOf<typeof LINE_OPTIONS>

/** Settings of a listener of a hub; `document` takes only what the document's grammar allows. */
export type ReceiveOptions = ValuesOf<typeof RECEIVE_OPTIONS>

export const RECEIVE_DEFAULTS: ReceiveOptions = defaultsOf(RECEIVE_OPTIONS)

const { profile: emitProfile, maxDatagramBytes } = EMIT_OPTIONS

/** Options of the sending side that shape its bytes. */
const ENCODE_OPTIONS = {
  profile: emitProfile,
  /** A single longer line travels alone. */
  maxDatagramBytes: integer({ ...maxDatagramBytes, min: 1 }),
  lenient: boolean({
    default: false,
    description: 'cleans keys to _ and rounds values instead of throwing',
  }),
}
export type EmitOptions = ValuesOf<typeof ENCODE_OPTIONS>

export const EMIT_DEFAULTS: EmitOptions = defaultsOf(ENCODE_OPTIONS)

/** Options of a client in a program. */
export const OWN_CLIENT_OPTIONS = {
  ...ADDRESS_OPTIONS,
  ...ENCODE_OPTIONS,
  transport: choice(['udp', 'tcp'], { default: 'udp', description: 'way to the server' }),
  flushIntervalMs: integer({
    min: 0,
    default: 1000,
    description: 'age at which a packet that is not full leaves; 0 = every line is a packet',
  }),
  queueLinesLimit: integer({
    default: 10_000,
    description: 'lines waiting to be sent; of more, the oldest packets are dropped',
  }),
  queueBytesLimit: bytes({
    default: 67_108_864,
    description: 'bytes of packets waiting to be sent; of more, the oldest are dropped',
  }),
  gzip: boolean({
    default: false,
    description: 'packs bodies that get smaller by it; outside the profile document',
  }),
  ...reconnectOptions({ firstMs: 100, limitMs: 10_000, jitter: 0 }),
}

/** Settings of a client, checked and complete. */
export type ClientSettings = ValuesOf<typeof OWN_CLIENT_OPTIONS>
