/**
 * Sizes that the allocator behind the original's zone gives out (`ngx_slab`): what is asked for is
 * rounded to a power of two from 8 to 2048, and above that to whole pages.
 */
export const SLAB_PAGE_BYTES = 4_096

const CHUNK_MIN = 8
const CHUNK_MAX = 2_048

/** Bytes really taken for `size` bytes. */
export function slabBytes(size: number): number {
  if (size <= CHUNK_MIN) return CHUNK_MIN
  if (size > CHUNK_MAX) return Math.ceil(size / SLAB_PAGE_BYTES) * SLAB_PAGE_BYTES
  return 2 ** (32 - Math.clz32(size - 1))
}
