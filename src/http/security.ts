/**
 * What a hub in a browser's reach must refuse. There is no login: a page of another origin must
 * neither read values (no CORS, Cross-Origin-Resource-Policy) nor reach the hub under a name of its
 * own (DNS rebinding: the Host header must be a known name) nor post to it.
 */
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { hostCheck } from '../host-check.ts'
import { HttpError } from './http-error.ts'

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Puts the headers on every answer; live streams write them themselves. */
export const secureHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value)
}

/** @param host the bound address; names besides it and loopback come from `allowedHosts` */
export function checkHost(host: string, allowedHosts: readonly string[]): MiddlewareHandler {
  const isAllowed = hostCheck(host, allowedHosts)
  return async (context, next) => {
    const { url = '' } = (context.env as HttpBindings).incoming
    const named = [context.req.header('Host') ?? '']
    // A target in absolute form names a host of its own (RFC 9112 §3.2.2): http://HOST/PATH
    if (!url.startsWith('/')) named.push(new URL(context.req.url).host)
    const unknown = named.find((each) => !isAllowed(each))
    if (unknown === undefined) return next()
    throw new HttpError(
      421,
      'unknown_host',
      `host ${JSON.stringify(unknown)} is not a name of this hub`,
      'use localhost or the bound address, or add the name to the option allowedHosts',
    )
  }
}

/** Checks, where a browser says who asks: this origin only, or a person's own navigation. */
export const checkCaller: MiddlewareHandler = async (context, next) => {
  const { method, path } = context.req
  const isRead = method === 'GET' || method === 'HEAD'
  const site = context.req.header('Sec-Fetch-Site')
  const isForeign = site === 'cross-site' || site === 'same-site'
  const isNavigation = isRead && context.req.header('Sec-Fetch-Mode') === 'navigate'
  const isData = path.startsWith('/api/') || path === '/metrics' || !isRead
  if (isForeign && isData && !isNavigation) throw foreignOrigin(site)
  const origin = context.req.header('Origin')
  const host = context.req.header('Host')
  if (isData && origin !== undefined && hostOf(origin) !== host) throw foreignOrigin(origin)
  await next()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** Requires JSON, for routes with a body: a form of another page can send any type but this one. */
export const requireJson: MiddlewareHandler = async (context, next) => {
  const type = (context.req.header('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'application/json') return next()
  const message = `content type ${JSON.stringify(type)}, want application/json`
  throw new HttpError(415, 'unsupported_media_type', message)
}

function foreignOrigin(origin: string): HttpError {
  const hint = 'only the page that this hub serves may do this from a browser'
  return new HttpError(403, 'foreign_origin', `request from ${JSON.stringify(origin)}`, hint)
}
