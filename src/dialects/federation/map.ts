/**
 * Series of one hub in another: what they are, they stay, with name, labels, unit and dialect. Only
 * where a label `hub` is wished for they are told apart by it.
 */
import { type Identity, type Metadata, sortLabels } from '../../model/index.ts'
import type { PeerSeries } from '../ingest.ts'
import type { ToldSeries } from './codec/words.ts'
import { FORM } from './spec.ts'

/** Key of the label that tells series of hubs apart. */
export const HUB_LABEL = 'hub'

/** A series as the hub keeps it that tells of it. */
export interface KeptSeries {
  readonly identity: Identity
  readonly metadata: Metadata
  readonly isCumulative: boolean
  readonly isWindowed: boolean
  readonly isDecrements: boolean
  readonly counterBits: 32 | 64 | undefined
  /** Whether it is a reading of the hub's machine. */
  readonly isOfHost: boolean
}

export function formOf(series: Omit<KeptSeries, 'identity' | 'metadata'>): number {
  return (
    (series.isCumulative ? FORM.cumulative : 0) |
    (series.isWindowed ? FORM.windowed : 0) |
    (series.isDecrements ? FORM.decrements : 0) |
    (series.counterBits === 32 ? FORM.bits32 : 0) |
    (series.counterBits === 64 ? FORM.bits64 : 0) |
    (series.isOfHost ? FORM.host : 0)
  )
}

/**
 * Makes the series that a hub keeps of one that another has told of.
 * @param hub value of the label `hub`; without one, series of the same name are one
 * @returns undefined for a reading of a machine where nothing tells the machines apart
 */
export function peerSeriesOf(
  { identity, metadata, form }: ToldSeries,
  hub: string | undefined,
): PeerSeries | undefined {
  if (hub === undefined && (form & FORM.host) !== 0) return undefined
  const isCounter = identity.kind === 'counter'
  const bits = (form & FORM.bits32) !== 0 ? 32 : (form & FORM.bits64) !== 0 ? 64 : undefined
  return {
    identity: hub === undefined ? identity : labelled(identity, hub),
    metadata,
    isCumulative: isCounter && (form & FORM.cumulative) !== 0,
    isWindowed: identity.kind === 'histogram' && (form & FORM.windowed) !== 0,
    isDecrements: isCounter && (form & FORM.decrements) !== 0,
    ...(isCounter && bits !== undefined ? { counterBits: bits } : {}),
  }
}

/** Adds the label, in the place of one of that key. */
function labelled(identity: Identity, hub: string): Identity {
  return { ...identity, labels: sortLabels([...identity.labels, [HUB_LABEL, hub]]) }
}
