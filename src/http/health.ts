/**
 * Two questions of whoever supervises the process: is it alive (restart it if not), and may it get
 * traffic (wait if not).
 */

import type { HubView } from '../hub/view.ts'
import type { HubApp } from './hub-app.ts'

export function addHealthRoutes(app: HubApp, view: HubView): void {
  app.get('/healthz', (context) => {
    context.header('Cache-Control', 'no-store')
    return context.json({ isAlive: true, version: view.version })
  })
  app.get('/readyz', (context) => {
    context.header('Cache-Control', 'no-store')
    if (view.isReady) return context.json({ isReady: true })
    return context.json({ isReady: false, reasons: reasons(view) }, 503)
  })
}

function reasons(view: HubView): string[] {
  const failed = view.sources().listeners.filter(({ state }) => state !== 'listening')
  if (failed.length === 0) return ['the listeners have not all been tried yet']
  return failed.map(({ name, host, port, state, message }) => {
    const reason = message === undefined ? '' : `: ${message}`
    return `listener ${name} on ${host}:${port} is ${state}${reason}`
  })
}
