/** The socket on which the tools of .NET find a registry that wants them to. */

import type { DotnetSocket } from '../dialects/nettrace/server.ts'
import type { CounterEventSource } from '../dialects/snapshot-source.ts'
import { errorText, type Report } from './reports.ts'

interface Published extends CounterEventSource {
  readonly isJoined: boolean
  readonly report: Report
}

/** Binds the socket of a registry; where that fails it is logged, too. */
export function openDotnetSocket(registry: Published): Promise<DotnetSocket> {
  const opened = open(registry)
  opened.catch((error) => {
    registry.report('dotnet_socket_errors', `no socket for .NET's tools: ${errorText(error)}`)
  })
  return opened
}

async function open(registry: Published): Promise<DotnetSocket> {
  // most registries have none, and none of its code
  const { DotnetSocket } = await import('../dialects/nettrace/server.ts')
  if (registry.isJoined) throw new TypeError('the thread that shared the registry may have one')
  const socket = new DotnetSocket({ source: registry })
  await socket.start()
  return socket
}
