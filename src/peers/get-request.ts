/** A GET to a peer over node:http, which is taken without Node's fetch. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'

interface GetSink {
  answer(incoming: IncomingMessage): void
  /** Takes note that the peer speaks something else; the connection is closed. */
  switched(): void
  /**
   * Takes note that there is no answer.
   * @param isHttp false where what came is none of HTTP
   */
  fail(error: NodeJS.ErrnoException, isHttp: boolean): void
}

/** Sends a GET; what becomes of it is told later. */
export function sendGet(url: URL, options: RequestOptions, sink: GetSink): ClientRequest {
  // not by imports, for which Node loads its whole fetch as well
  const isHttps = url.protocol === 'https:'
  const { request: send } = process.getBuiltinModule(isHttps ? 'node:https' : 'node:http')
  const outgoing = send(url, options)
  outgoing.on('response', (incoming) => sink.answer(incoming))
  // without a listener Node would drop the socket; the connection is of no use either way
  outgoing.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    sink.switched()
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    sink.fail(error, error.code?.startsWith('HPE_') !== true)
  })
  outgoing.end()
  return outgoing
}
