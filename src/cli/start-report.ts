/** What a person, or a program, is told once the hub is up. */
import type { SourcesAnswer } from '../http/api.ts'
import type { LogFormat } from './log.ts'

export interface Address {
  readonly host: string
  readonly port: number
  /** Why nothing listens there (yet). */
  readonly error?: string
}

export interface Addresses {
  readonly http: Address
  readonly text: Address | undefined
  readonly stream: Address | undefined
}

export function startReport(
  format: LogFormat,
  addresses: Addresses,
  { listeners, dialects }: SourcesAnswer,
): string {
  if (format === 'json') return `${JSON.stringify({ ready: true, listeners: addresses })}\n`
  const base = `http://${hostInUrl(addresses.http)}`
  const httpState = addresses.http.error ? `   not started: ${addresses.http.error}` : ''
  const rows = [['page', `${base}/${httpState}`]]
  for (const { name, title, address } of dialects) {
    const listener = listeners.find((each) => each.dialects.includes(name))
    const state = listener?.state === 'failed' ? `   not started: ${listener.message}` : ''
    rows.push([title, `${address}${state}`])
  }
  rows.push(['Prometheus', `${base}/metrics`])
  const width = Math.max(...rows.map(([label]) => label!.length)) + 2
  const table = rows.map(([label, text]) => `  ${label!.padEnd(width)}${text}`).join('\n')
  const tries = dialects.map(({ tryIt }) => `  ${tryIt}`).join('\n')
  return `Pentameter is up.\n\n${table}\n\nTry:\n${tries}\n\nCtrl-C stops.\n`
}

function hostInUrl({ host, port }: Address): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
