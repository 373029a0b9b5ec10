/**
 * Where everything stands in the memory of windows, in bytes: shared by JavaScript, which defines
 * series and reads, and by the WebAssembly module that takes usual frames (usual-frames.as.ts, to
 * which these are constants). Numbers are little-endian, records aligned to 16 bytes.
 *
 *   [page 0: cells, tables, what a read left over] [a read] [pieces of records, blocks, buckets …]
 *
 * Address 0 stands for none: what is read there is 0.
 */

/** Cells of the whole. */
export const BUCKETS = 128
export const BUCKET_MASK = 132
/** First of the free blocks, linked by their `BLOCK_NEXT`. */
export const FREE_BLOCK = 136
/** Blocks that are windows', and those that may be. */
export const BLOCKS_USED = 140
export const BLOCKS_LIMIT = 144
/** Blocks that one series may have. */
export const BLOCKS_SHARE = 148
/** Series with windows since they were asked for last, linked by their `TOUCHED_NEXT`. */
export const TOUCHED_FIRST = 152
export const TOUCHED_LAST = 156
/** Windows that left for want of memory: a double. */
export const DROPPED = 160
/** A window that is younger (ms, a double) and shorter (ns, u64) is odd in nothing. */
export const AGE_LIMIT = 168
export const PERIOD_LIMIT = 176
/**
 * Counts of what the last call took: frames, empty ones, those in document's order, and those whose
 * bins contradict their extremes.
 */
export const TAKEN = 184
export const TAKEN_EMPTY = 188
export const TAKEN_DOCUMENT = 192
export const TAKEN_INCONSISTENT = 200
/** Bits of what these frames have shown of their sender. */
export const EVIDENCE = 196
export const PEER_ORDER = 1
export const DOCUMENT_ORDER = 2
export const PEER_BINNING = 4
export const DOCUMENT_BINNING = 8

/** Counts of the frame at hand, those of its filled bins one after the other. */
export const COUNTS = 512
/** Secrets of a head's hash, one for each of its words. */
export const SECRETS = 1024
/** Stand-ins for a sample of each bin: 64 doubles. */
export const MIDDLES = 2048
/** Shuffles, one for each 4 bits, that move the words whose bits are set to the front. */
export const SHUFFLES = 3072

/** Place where a read lands, and bytes of the read before that may lie in front of it. */
export const READ_AT = 65_536
export const REST_BYTES = 57_344

/** Series: its last head, its windows, and its totals since the last tick. */
export const SERIES_BYTES = 1024
/** Size of a frame with this head; 0 where there is none to be known by. */
export const FRAME_SIZE = 0
export const HEAD_SIZE = 4
/** Series whose frame came after this one's, the last time. */
export const NEXT = 8
export const HASH = 12
/** Next series in the same bucket. */
export const CHAIN = 16
export const WORKER = 20
export const TOUCHED_NEXT = 24
export const IS_OPEN = 28
/** Estimated sum of the latencies: a double. */
export const SUM = 32
/** Extremes as u64, and bits of which of them is known. */
export const LEAST = 40
export const GREATEST = 48
export const KNOWN = 56
/** Number by which JavaScript knows the series. */
export const SERIES_ID = 60
/** Doubles: latest end and last arrival, ms. */
export const LAST_END = 64
export const LAST_SEEN = 72
/** Blocks of windows, oldest first. */
export const FIRST_BLOCK = 88
export const LAST_BLOCK = 92
/** Place of the oldest window in its block. */
export const FIRST_AT = 96
export const BLOCKS = 100
/** Number of windows. */
export const LENGTH = 104
/** Doubles: latest end of what left for want of memory, ms; words written so far. */
export const DROPPED_END = 112
export const POSITION = 120
/** Messages by bin: 65 x u64. */
export const TOTALS = 128
export const HEAD = 656
/** A longer head is that of no usual frame. */
export const HEAD_MAX = SERIES_BYTES - HEAD

/** Block of windows of one series, packed as kept-window.ts has it. */
export const BLOCK_BYTES = 640
/** Copies go by 16 bytes, so that the last ones stay free. */
export const BLOCK_CAPACITY = 624
export const BLOCK_NEXT = 0
/** Bytes written, this head included. */
export const BLOCK_USED = 4
/** Double: words of the series before this block. */
export const BLOCK_POSITION = 8
/** Series; 0 while it is free. */
export const BLOCK_OWNER = 16
/** Windows written, and the latest of their ends, ms, a double: known without reading them. */
export const BLOCK_LENGTH = 20
export const BLOCK_LATEST = 24
export const BLOCK_HEAD = 32

/** Workers and connections are of one size. */
export const SMALL_BYTES = 96
/** Doubles of a worker: the end that came last, shift of its times, ms, last arrival. */
export const LATEST_END = 0
export const SHIFT = 8
export const WORKER_SEEN = 16
/** Instant until which further ends are known that change nothing, and these. */
export const ENDS_UNTIL = 24
export const ENDS = 32
export const ENDS_COUNT = 4
/** Connection whose windows of this worker are odd in nothing. */
export const HEARD_BY = 64
/** Series of a connection's last frame. */
export const PREVIOUS = 0

/** Bytes of a frame behind its head: 65 bins and four times and extremes. */
export const TAIL_SIZE = 552
/** The shortest head: five sizes of texts that are empty, but for `metrics` and `metrics:`. */
export const HEAD_MIN = 54
