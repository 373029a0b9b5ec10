/** The dialect of hubs among each other: the seconds of one become part of those of another. */
import { peerUrl } from '../command-line.ts'
import type { Dialect } from '../dialect.ts'
import { HTTP_PORT } from '../options.ts'
import { sharesSeries } from './client/address.ts'
import { connectSource } from './client/source.ts'
import { createDecoder, encodeFederation } from './codec.ts'
import { OPTIONS } from './options.ts'
import { ERROR_CODES, NAME, PATH, QUERY, SCHEMES, VERSION } from './spec.ts'

export const dialect: Dialect = {
  name: NAME,
  title: 'Federation',
  document: 'How hubs tell each other of their closed seconds (Pentameter’s own)',
  roles: { server: 'emit', client: 'receive' },
  transports: ['tcp'],
  schemes: SCHEMES,
  port: HTTP_PORT,
  options: OPTIONS,
  defaultProfile: 'document',
  errorCodes: ERROR_CODES,
  speaksFirst: false,
  /** Served on the HTTP port: no listener of its own has to tell it from others. */
  claims: () => false,
  connectSource,
  sharesSeries,
  createDecoder,
  encode: encodeFederation,
  tryIt: (host, port) =>
    `curl -sN '${peerUrl('http', host, port)}${PATH}?${QUERY.version}=${VERSION}' | ` +
    `npx pentameter decode ${NAME}`,
}
