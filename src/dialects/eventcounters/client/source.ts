/** An endpoint's counters into the hub: one session, every window merged into its series. */
import { addressText } from '../../../model/text/address.ts'
import { LinkState, type LinkStatus } from '../../../time/link-state.ts'
import type { ChosenPeer, Source, SourceContext, Target } from '../../endpoints.ts'
import { EventCountersClient } from '../client.ts'
import type { ReadWindow } from '../codec/read.ts'
import { endpointAddress, filterOf, sharesSeries as shareSeries } from './address.ts'
import type { ClientError } from './attempt.ts'
import { ReceivedCounters } from './received-counters.ts'

/**
 * Connects to an endpoint and keeps at it until closed.
 * @throws {TypeError} for an address that cannot be used
 */
export function connectSource(target: Target, context: SourceContext): Source {
  const { ingest, clock, reports } = context
  const link = new LinkState(clock)
  const url = urlOf(target)
  const address = endpointAddress({ url })
  // A server would refuse it at every attempt, for ever.
  filterOf(address)
  const counters = new ReceivedCounters(ingest, address.label, context.bytesLimit)
  const settings = { ...(context.options.client ?? {}), url, clock, reports }
  const onWindow = (window: ReadWindow) => counters.take(window)
  const onError = ({ message }: ClientError, retryMs: number) => {
    if (link.status.isConnected) counters.end()
    link.failed(message, retryMs)
  }
  const onOpen = () => link.connected()
  const observed = { ...settings, hasBuckets: true, onWindow, onOpen, onError }
  const client = new EventCountersClient(observed, context.reads)
  void client.start()
  return {
    status: () => ({
      ...statusOf(client, counters.size, target, link.status),
      source: address.label,
    }),
    close: () => client.close(),
  }
}

/** Tells whether both addresses bring windows of one counter. */
export function sharesSeries(one: Target, other: Target): boolean {
  const [a, b] = [one, other].map((target) => endpointAddress({ url: urlOf(target) }))
  return shareSeries(a!, b!)
}

function urlOf({ host, port, url }: Target): string {
  if (url !== undefined) return url
  return `http://${addressText(host, port)}`
}

function statusOf(
  client: EventCountersClient,
  series: number,
  { host, port }: Target,
  link: LinkStatus,
): ChosenPeer {
  const { counts, status } = client
  const { state, url, series: interval, lastError } = status
  const facts: Record<string, string | number | boolean> = { state, url, series }
  if (interval !== undefined) facts.interval = interval
  facts.windows = counts.windows
  facts.foreign = counts.foreignSeries
  facts.bad = counts.badPayloads
  facts.reconnects = counts.reconnects
  if (lastError !== undefined) facts.lastError = lastError.message
  return { peer: { transport: 'tcp', address: host, port }, sinceMs: link.sinceMs, facts, link }
}
