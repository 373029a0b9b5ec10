/** The codec of history: blocks of cells to chunks and bundles, and back. Pure. */
export {
  type Block,
  type CounterBlock,
  type GaugeBlock,
  type GaugeSpreads,
  type HistogramBlock,
  PLACES_LIMIT,
  type SummaryBlock,
} from './block.ts'
export {
  Bundle,
  type BundledChunk,
  type BundleVersion,
  encodeBundle,
  type Resolution,
} from './bundle.ts'
export { ChunkCodec, type EncodeOptions, scriptCodec } from './chunk.ts'
export { CODEC_FAULTS, type CodecFault } from './fault.ts'
