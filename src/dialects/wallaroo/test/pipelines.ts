/** A hub that workers of Wallaroo send to: real sockets, a clock in the test's hand. */
import type { TestContext } from 'node:test'
import type { FakeClock } from '../../../../test/support/fake-clock.ts'
import { startHub, type TestHub, until } from '../../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import { WallarooClient } from '../client.ts'
import { type MetricsFields, metricsBytes } from './frames.ts'

export interface PipelineHub extends TestHub {
  /** A worker of the product's own client, connected. */
  worker(name: string, application?: string): Promise<WallarooClient>
  /** A connection that says what it is given. */
  peer(): Promise<RawPeer>
  /** Sends windows over a connection and waits until the hub has taken them. */
  send(peer: RawPeer, windows: readonly MetricsFields[]): Promise<void>
  /** Waits until the hub has taken so many windows. */
  taken(count: number): Promise<void>
}

export async function startPipelineHub(
  context: TestContext,
  options: Record<string, unknown> = {},
): Promise<PipelineHub> {
  const started = await startHub(options)
  const { hub, clock, streamPort } = started
  const clients: WallarooClient[] = []
  const peers: RawPeer[] = []
  const taken = (count: number): Promise<void> => {
    return until(() => hub.measurements('wallaroo') >= count)
  }
  context.after(async () => {
    for (const peer of peers) peer.close()
    await Promise.all(clients.map((client) => client.close()))
    await hub.stop()
  })
  return {
    ...started,
    taken,
    async worker(worker, application = 'shop') {
      const at = { application, worker, port: streamPort, clock: reporterClock(clock) }
      const client = new WallarooClient(at)
      clients.push(client)
      await client.start()
      await until(() => client.isConnected)
      return client
    },
    async peer() {
      const peer = await RawPeer.connect(streamPort)
      peers.push(peer)
      return peer
    },
    async send(peer, windows) {
      const before = hub.measurements('wallaroo')
      peer.write(Buffer.concat(windows.map((window) => metricsBytes(window))))
      await taken(before + windows.length)
    },
  }
}

/** The hub's clock as a reporter reads it. */
export function reporterClock(clock: FakeClock) {
  return {
    wallMs: () => clock.wallMs(),
    wallNs: () => BigInt(clock.wallMs()) * 1_000_000n,
    after: (delayMs: number, callback: () => void) => clock.after(delayMs, callback),
  }
}
