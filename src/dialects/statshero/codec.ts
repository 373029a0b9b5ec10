/**
 * The Stats Hero codec, pure: bytes to a visitor's calls, lines to packets. Its stages, by the life
 * of a packet: header and framing, body and gzip, line, rate; and the way back.
 */
export {
  checkSize,
  encodePackets,
  type Line,
  type LineFrame,
  lineFrame,
  PacketBatch,
  valueText,
} from './codec/encode.ts'
export { FrameScanner } from './codec/frame-scan.ts'
export type {
  FrameRules,
  Inflate,
  PacketVisitor,
} from './codec/line-visitor.ts'
export { decodeDatagram } from './codec/packet.ts'
