/**
 * The page as Vite built it. Files whose names carry a hash never change and are cached for ever;
 * index.html names them and is never stored. Paths of the page's own views get index.html; those of
 * dialects' views stand in views.json, which the build makes of the views themselves.
 */
import { createHash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { acceptsGzip } from '../exposition/negotiation.ts'

const compress = promisify(gzip)
/** All files of a build together are far smaller; what comes in beyond is served uncached. */
const CACHE_BYTES_LIMIT = 16_777_216

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const COMPRESSIBLE = /^(text\/|application\/|image\/svg)/
/** Vite's `name-HASH.ext` under assets/. */
const HASHED = /^\/assets\/.+-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/
/** Views of the house (src/web/shell/route.ts); for all else the page would show its overview. */
const VIEWS = /^\/(series\/.+|sources)?$/s

const NOT_BUILT = `The page of this hub has not been built yet.

  npm run build:web

builds it into dist/web; then reload. Nothing else needs it: the hub receives, the API is under
/api/v1/ and the metrics are at /metrics.
`

interface UiFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined
  readonly type: string
  readonly etag: string
  /** Version of the file on disk, to see a new build. */
  readonly version: string
}

export class UiFiles {
  readonly #root: string
  readonly #cache = new Map<string, UiFile>()
  #cachedBytes = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Answers with the file or view at a path; undefined when there is none. */
  async answer(context: Context): Promise<Response | undefined> {
    const path = decodedPath(context.req.path)
    const isView = VIEWS.test(path) || (await this.#isGuestView(path))
    const name = isView ? '/index.html' : path
    const file = await this.#read(name)
    if (file !== undefined) return fileAnswer(context, file, cacheControl(name))
    if (!isView) return undefined
    context.header('Cache-Control', 'no-store')
    return context.text(NOT_BUILT, 503)
  }

  /** Tells whether a dialect's view is at this path or above it. */
  async #isGuestView(path: string): Promise<boolean> {
    const file = await this.#read('/views.json')
    if (file === undefined) return false
    const views: readonly string[] = JSON.parse(new TextDecoder().decode(file.bytes))
    return views.some((view) => isWithin(path, `/${view}`))
  }

  async #read(name: string): Promise<UiFile | undefined> {
    const type = TYPES[extname(name)]
    if (type === undefined || name.includes('\0')) return undefined
    const path = await this.#locate(name)
    if (path === undefined) return undefined
    const { size, mtimeMs } = await stat(path)
    const version = `${size} ${mtimeMs}`
    const held = this.#cache.get(name)
    if (held?.version === version) return held
    const file = await loadFile(path, type, version)
    this.#keep(name, file)
    return file
  }

  /**
   * Finds the real path of a file under the root, whatever dots and links say; undefined for
   * others.
   */
  async #locate(name: string): Promise<string | undefined> {
    try {
      const root = await realpath(this.#root)
      const path = await realpath(join(root, name))
      return path.startsWith(root + sep) && (await stat(path)).isFile() ? path : undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined
      throw error
    }
  }

  #keep(name: string, file: UiFile): void {
    const held = this.#cache.get(name)
    if (held !== undefined) this.#cachedBytes -= held.bytes.length
    this.#cache.delete(name)
    if (this.#cachedBytes + file.bytes.length > CACHE_BYTES_LIMIT) return
    this.#cache.set(name, file)
    this.#cachedBytes += file.bytes.length
  }
}

async function loadFile(path: string, type: string, version: string): Promise<UiFile> {
  const bytes = new Uint8Array(await readFile(path))
  // Weak: the same for the compressed form.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const packed = COMPRESSIBLE.test(type) ? new Uint8Array(await compress(bytes)) : undefined
  const gzipped = packed !== undefined && packed.length < bytes.length ? packed : undefined
  return { bytes, gzipped, type, etag, version }
}

function fileAnswer(context: Context, file: UiFile, caching: string): Response {
  context.header('Cache-Control', caching)
  context.header('ETag', file.etag)
  context.header('Vary', 'Accept-Encoding')
  if (isKnown(context.req.header('If-None-Match'), file.etag)) return context.body(null, 304)
  context.header('Content-Type', file.type)
  if (file.gzipped === undefined || !acceptsGzip(context.req.header('Accept-Encoding'))) {
    return context.body(file.bytes)
  }
  context.header('Content-Encoding', 'gzip')
  return context.body(file.gzipped)
}

function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((each) => each.trim() === etag)
}

function cacheControl(name: string): string {
  if (name === '/index.html') return 'no-store'
  return HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

function isWithin(path: string, view: string): boolean {
  return path === view || (path.startsWith(`${view}/`) && path.length > view.length + 1)
}

/** Decodes the path of a request; one that does not decode names no file. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
