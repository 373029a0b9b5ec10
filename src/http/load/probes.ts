/**
 * Two questions of whatever supervises the process: is it alive (restart it if not), and may it get
 * traffic (wait if not). They must be answered whatever else goes on and cost next to nothing: the
 * server answers them itself, without the app and what that loads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostCheck } from '../../host-check.ts'
import type { HubView } from '../../hub/view.ts'
import { addressText } from '../../model/text/address.ts'
import type { HttpReports } from '../limits.ts'
import { SECURITY_HEADERS } from '../security.ts'

interface ProbeAnswer {
  readonly status: 200 | 503
  readonly body: object
}

/** Answers by path. */
export const PROBES: Readonly<Record<string, (view: HubView) => ProbeAnswer>> = {
  '/healthz': ({ version }) => ({ status: 200, body: { isAlive: true, version } }),
  '/readyz': (view) =>
    view.isReady
      ? { status: 200, body: { isReady: true } }
      : { status: 503, body: { isReady: false, reasons: reasonsOf(view) } },
}

/** Tells whether an address of a request is that of a probe. */
export function isProbe(url: string): boolean {
  return Object.hasOwn(PROBES, pathOf(url))
}

interface ProbeParts {
  readonly view: HubView
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly reports: HttpReports
}

/** Answers probes as the app does, which gets what it would refuse. */
export class ProbeAnswers {
  readonly #parts: ProbeParts
  readonly #isAllowed: (host: string) => boolean

  constructor(parts: ProbeParts) {
    this.#parts = parts
    this.#isAllowed = hostCheck(parts.host, parts.allowedHosts)
  }

  /** @returns false for what is no probe, or to be refused: the request is untouched */
  answer({ method, url = '', headers }: IncomingMessage, outgoing: ServerResponse): boolean {
    if (!isProbe(url) || (method !== 'GET' && method !== 'HEAD')) return false
    if (!this.#isAllowed(headers.host ?? '')) return false
    const { view, reports } = this.#parts
    const path = pathOf(url)
    const { status, body } = PROBES[path]!(view)
    const bytes = Buffer.from(JSON.stringify(body))
    outgoing.writeHead(status, {
      ...SECURITY_HEADERS,
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
    })
    outgoing.end(method === 'HEAD' ? undefined : bytes)
    reports.count('requests', `${path} ${status}`)
    return true
  }
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function reasonsOf(view: HubView): string[] {
  const failed = view.sources().listeners.filter(({ state }) => state !== 'listening')
  if (failed.length === 0) return ['the listeners have not all been tried yet']
  return failed.map(({ name, host, port, state, message }) => {
    const reason = message === undefined ? '' : `: ${message}`
    return `listener ${name} on ${addressText(host, port)} is ${state}${reason}`
  })
}
