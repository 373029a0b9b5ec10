/** Route that Express found for a request, which is known once that was handled. */
import type { IncomingMessage } from 'node:http'

/** Request as Express leaves it; those of `node:http` lack all that is optional. */
export interface ExpressRequest extends IncomingMessage {
  readonly route?: { readonly path?: unknown }
  readonly baseUrl?: string
  readonly originalUrl?: string
}

/** Gives the route's template, with the path of the router that it is in; undefined for none. */
export function routeOfExpress(request: ExpressRequest): string | undefined {
  const { route, baseUrl = '', originalUrl = '' } = request
  if (typeof route?.path !== 'string') return undefined
  const { path } = route
  if (baseUrl !== '' || /[*{(?+]/.test(path)) return baseUrl + path
  // An error handler is outside of the router: its path is what the address has more in front.
  const [stated = ''] = originalUrl.split('?')
  const parts = stated.split('/')
  return parts.slice(0, parts.length - path.split('/').length + 1).join('/') + path
}
