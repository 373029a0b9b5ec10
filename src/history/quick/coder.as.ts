/**
 * AssemblyScript: the coder of history's chunks (src/history/codec/coder), which makes and reads
 * the same bytes as that in JavaScript, to the last one; that is also where the method is
 * explained. One chunk is written or read at a time, in the memory that shared.as.ts draws. What
 * may fail gives other than 0 then.
 */

export {
  offset,
  open,
  readBits,
  readFlags,
  readPieces,
  readRows,
  readWhole,
  setVersion,
} from './reading.as'
export { start } from './shared.as'
export { begin, bits, end, sayFlags, sayPieces, sayRows, sayWhole } from './writing.as'
