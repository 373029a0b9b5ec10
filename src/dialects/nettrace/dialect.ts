/** The dialect NetTrace: events of .NET processes, as their diagnostics socket sends them. */
import type { Dialect } from '../dialect.ts'
import { ADDRESS_FORM, portAddress, processTarget, SCHEME } from './client/attach/address.ts'
import { connectSource, sharesSeries } from './client/attach/source.ts'
import { createDecoder, encodeNetTrace } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'NetTrace',
  document: 'How .NET processes tell their events to whoever asks their diagnostics socket',
  roles: { client: 'receive' },
  transports: [],
  schemes: [SCHEME],
  options: OPTIONS,
  exportRules: () => EXPORT_RULES,
  ownAddress: { form: ADDRESS_FORM, parse: processTarget },
  ownPeers: ({ diagnosticPort }) => {
    return typeof diagnosticPort === 'string' ? [portAddress(diagnosticPort)] : []
  },
  connectSource,
  sharesSeries,
  defaultProfile: 'peer',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Read from files and sockets of processes: no listener of the hub receives it. */
  claims: () => false,
  createDecoder,
  encode: encodeNetTrace,
}
