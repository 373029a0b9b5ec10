/**
 * The dialect Proxy-Wasm metrics: a store in shared memory and a host for filters that write into
 * it; outside its process a zone is seen as JSON (README.md).
 */
import type { Dialect } from '../dialect.ts'
import { createDecoder, encodeProxyWasm } from './codec.ts'
import { exportRules } from './export-rules.ts'
import { nameInDocument } from './names.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Proxy-Wasm metrics',
  document: 'How many threads and WebAssembly filters write into one bounded shared memory',
  roles: {},
  transports: [],
  options: OPTIONS,
  exportRules,
  nameOf: ({ identity, metadata }) => {
    if (metadata.dialect !== NAME) return undefined
    const text = nameInDocument(identity)
    return text === undefined ? undefined : { text }
  },
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** A format in memory: no bytes of a listener are its own. */
  claims: () => false,
  createDecoder,
  encode: encodeProxyWasm,
}
