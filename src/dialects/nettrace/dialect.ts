/** The dialect NetTrace: events of .NET processes, as their diagnostics socket sends them. */
import type { Dialect } from '../dialect.ts'
import { createDecoder, encodeNetTrace } from './codec.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'NetTrace',
  document: 'How .NET processes tell their events to whoever asks their diagnostics socket',
  roles: {},
  transports: [],
  options: OPTIONS,
  defaultProfile: 'peer',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Read from files and sockets of processes: no listener of the hub receives it. */
  claims: () => false,
  createDecoder,
  encode: encodeNetTrace,
}
