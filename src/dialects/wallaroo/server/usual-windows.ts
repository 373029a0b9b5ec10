/**
 * The way of usual windows past the scanner, as a connection sees it: what takes them is its
 * receiver's business.
 */

/**
 * Way of a connection's usual windows: those of series and workers that it is known for, of which
 * nothing is to be noted but what is counted here. They are taken where reads land.
 */
export interface UsualWindows {
  /** Buffer for reads, one for all connections. */
  readonly buffer: Uint8Array
  /**
   * Lays what was held of a frame in front of a read.
   * @returns both; undefined where they can't be taken this way
   */
  lay(held: Uint8Array, read: Uint8Array): Uint8Array | undefined
  /** Takes usual frames of what was laid, as of the scanner's `UsualFrames`. */
  take(bytes: Uint8Array, at: number, nowMs: number): number
  /**
   * Frames that the last call took; among them empty ones, those in document's order, and those
   * whose bins contradict their extremes.
   */
  readonly taken: number
  readonly empty: number
  readonly inDocumentOrder: number
  readonly inconsistent: number
  /** Evidence of their sender that they gave, if any. */
  readonly order: 'peer' | 'document' | 'mixed' | undefined
  readonly binning: 'peer' | 'document' | 'mixed' | undefined
}
