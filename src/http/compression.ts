/** Compression of answers: as a whole where they are small, else on their way. */
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'

const compressAny = promisify(gzip)
/** Smaller answers fit into few packets anyway. */
export const GZIP_FROM_BYTES = 4096
/** Half the time of the default level for a few percent more bytes. */
const GZIP_LEVEL = 4

export async function compress(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await compressAny(bytes, { level: GZIP_LEVEL }))
}

/** Ends the compression, and what is compressed, when it is not read to its end. */
export async function* gzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packer = createGzip({ level: GZIP_LEVEL })
  // where what is compressed has ended meanwhile, nothing else listens to how the packer ends
  packer.on('error', () => {})
  yield* Readable.from(chunks).compose(packer)
}
