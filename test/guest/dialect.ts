/** The dialect Semaphore: changes of levers and lamps as lines of text (README.md). */
import type { Dialect } from '../../src/dialects/dialect.ts'
import { TEXT_PORT } from '../../src/dialects/options.ts'
import { connectEmitter } from './client.ts'
import { createDecoder, encodeSemaphore } from './codec.ts'
import { EXPORT_RULES } from './export-rules.ts'
import { OPTIONS } from './options.ts'
import { createServer } from './server.ts'
import { ERROR_CODES, MARK, NAME } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Semaphore',
  document: 'How signal boxes report their levers and lamps',
  roles: { server: 'receive', client: 'emit' },
  transports: ['udp', 'tcp'],
  port: TEXT_PORT,
  options: OPTIONS,
  threadModule: import.meta.url,
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  exportRules: () => EXPORT_RULES,
  speaksFirst: false,
  claims: (first) => (first.length === 0 ? undefined : first[0] === MARK),
  createServer,
  connectEmitter,
  createDecoder,
  encode: encodeSemaphore,
  tryIt: (host, port) => `bash -c 'echo "!c levers.pulled 1" > /dev/tcp/${host}/${port}'`,
}
