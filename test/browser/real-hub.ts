/** A real hub that serves the page, without ingest threads, on ports that are free. */
import { GUESTS } from '../../src/dialects/registry.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import { Hub } from '../../src/hub/hub.ts'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FREE_PORTS } from '../support/ports.ts'
import type { Served } from './browser.ts'

interface RealHubOptions {
  readonly clock?: Clock
  readonly config?: Readonly<Record<string, unknown>>
}

interface RealHub extends Served {
  /** Address of the port for lines of text. */
  readonly text: { readonly host: string; readonly port: number }
  /** Address of the port that dialects with connections share. */
  readonly stream: { readonly host: string; readonly port: number }
}

export async function serveHub(
  webRoot: string,
  { clock = systemClock, config = {} }: RealHubOptions = {},
): Promise<RealHub> {
  const values = parseConfig({ ...FREE_PORTS, ingestWorkers: 0, ...config }, DIALECTS)
  const hub = new Hub({
    config: values,
    clock,
    log: () => {},
    guests: GUESTS,
  })
  await openHistory(hub, values, [], () => {})
  await hub.start()
  const http = createHttpServer({ view: hub, webRoot, host: '127.0.0.1', port: 0, guests: GUESTS })
  const { port } = await http.start()
  return {
    url: `http://127.0.0.1:${port}`,
    text: hub.addresses().text!,
    stream: hub.addresses().stream!,
    stop: async () => {
      await http.stop()
      await hub.stop()
    },
  }
}
