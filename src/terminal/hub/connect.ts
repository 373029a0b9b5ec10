/** The first word with a hub: whether one is there, and if not what to do about it. */
import type { SeriesPage } from '../../http/api.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { createHubApi, type HubApi, RefusedRequest } from '../../viewer/store/hub-api.ts'
import { CommandError } from '../exit.ts'
import type { HubAddress } from './address.ts'
import { HttpConnection, HubError } from './connection.ts'

export interface Hub {
  readonly address: HubAddress
  readonly connection: HttpConnection
  readonly api: HubApi
}

/** @throws {CommandError} where nothing answers there, or something that is no hub */
export async function connectHub(address: HubAddress): Promise<Hub> {
  const connection = new HttpConnection(address)
  const api = createHubApi(connection)
  const { signal } = new AbortController()
  const page = await api.get('/series?limit=1', signal).catch((error: unknown) => {
    throw new CommandError(problemOf(error, address))
  })
  if (typeof (page as Partial<SeriesPage> | null)?.revision !== 'number') {
    throw new CommandError(noHub(address))
  }
  return { address, connection, api }
}

function problemOf(error: unknown, address: HubAddress): string {
  if (error instanceof RefusedRequest) {
    if (error.status === 404) return noHub(address)
    return `the hub at ${address.name} answers ${error.status}: ${escapeUnseen(error.reason)}`
  }
  if (error instanceof SyntaxError) return noHub(address)
  const reason = error instanceof HubError && error.code !== 'broken' ? error.code : wordsOf(error)
  return (
    `no hub answers at ${address.name} (${escapeUnseen(reason)})\n` +
    '  start one with `pentameter serve`, or say where it is: --hub HOST:PORT'
  )
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function noHub({ name }: HubAddress): string {
  return (
    `something answers at ${name} that is no hub of Pentameter\n` +
    '  check host and port; it is the one of the page, 4000 unless told otherwise'
  )
}
