/** Bytes of history that can't be read: which codes there are, and how they are thrown. */
import { DecodeError } from '../../wire/index.ts'

/** Everything that can be wrong with the bytes of a chunk or a bundle. */
export const CODEC_FAULTS = [
  'bundle_truncated',
  'bundle_version',
  'bundle_index',
  'checksum',
  'chunk_kind',
  'chunk_places',
  'chunk_value',
  'chunk_layout',
  'chunk_too_large',
] as const
export type CodecFault = (typeof CODEC_FAULTS)[number]

/** Makes the error of bytes that can't be read; the chunk or bundle that they are of is lost. */
export function faultOf(code: CodecFault, offset: number, detail: string): DecodeError {
  return new DecodeError({ dialect: 'history', code, offset, resync: false }, detail)
}
