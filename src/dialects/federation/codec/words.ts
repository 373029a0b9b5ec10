/**
 * Messages that are no cells, low bytes first:
 *
 *   hello   JSON: version of the protocol, start and version of the hub, its clock, first sequence
 *   series  [ref:u32][form:u8][size:u32][key, identityKey of the model][size:u32][metadata, JSON]…
 *   gone    [ref:u32]…
 *   end     [sequence:f64][end:f64, Unix ms][seconds:u32][clock of the hub:f64, Unix ms]
 */
import { type Identity, identityOf, type Metadata } from '../../../model/index.ts'
import { FORM, METADATA_BYTES_LIMIT, SECONDS_MAX } from '../spec.ts'
import { type ByteReader, textOf } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

/** First message of a connection. */
export interface Hello {
  /** Version of the protocol; of another one nothing more is known. */
  readonly version: number
  /** Name of this start of the hub, which no other has. */
  readonly start: string
  /** Version of the hub, for people. */
  readonly hub: string
  /** Clock of the hub, Unix ms. */
  readonly nowMs: number
  /** Sequence of the first second that will be told. */
  readonly first: number
}

/** A series, told before its first cell on a connection. */
export interface ToldSeries {
  readonly ref: number
  /** Bits of FORM. */
  readonly form: number
  readonly identity: Identity
  /** Key of the identity, as the model makes it. */
  readonly key: Uint8Array
  readonly metadata: Metadata
  /** Size of the metadata as sent, bytes. */
  readonly metadataSize: number
}

/** End of a second: with it all its cells are told. */
export interface SecondEnd {
  /** Number of the second since the hub started. */
  readonly sequence: number
  readonly endMs: number
  readonly seconds: number
  readonly nowMs: number
}

const TEXTS = ['type', 'exportSuffix', 'displayName', 'unit', 'description'] as const
const HINTS = ['sourceLabel', 'plot', 'color'] as const
const DIALECT_LENGTH_LIMIT = 64
const ALL_FORMS = Object.values(FORM).reduce((all, bit) => all | bit, 0)
const BOUNDS_LIMIT = 4096
/** Metadata that are kept to be shared; of more, all are forgotten and kept anew. */
const KNOWN_LIMIT = 1024
/** Latest time that is one, Unix ms: the end of the year 9999. */
const TIME_MS_MAX = 253_402_300_800_000

export function readHello(body: Uint8Array): Hello | undefined {
  const { version, start, hub, nowMs, first } = objectOf(textOf(body)) ?? {}
  if (!isCount(version)) return undefined
  const isText = isShort(start) && isShort(hub)
  if (isText && isTime(nowMs) && isCount(first)) return { version, start, hub, nowMs, first }
  // all that a hub of another version must say in the same way
  return version === 1 ? undefined : { version, start: '', hub: '', nowMs: 0, first: 0 }
}

/** @param known metadata by their JSON, which many series have in common; added to */
export function readSeries(
  body: ByteReader,
  known = new Map<string, Metadata>(),
): ToldSeries[] | undefined {
  const series: ToldSeries[] = []
  while (body.left > 0 && body.isWhole) {
    const ref = body.u32()
    const form = body.byte()
    // the bytes of the body may be those of a queue
    const key = body.sized().slice()
    const told = body.sized()
    if (!body.isWhole || (form & ~ALL_FORMS) !== 0) return undefined
    const identity = identityOf(key)
    const metadata = told.length > METADATA_BYTES_LIMIT ? undefined : sharedMetadata(told, known)
    if (identity === undefined || metadata === undefined) return undefined
    series.push({ ref, form, identity, key, metadata, metadataSize: told.length })
  }
  return body.isDone ? series : undefined
}

export function readGone(body: ByteReader): number[] | undefined {
  const refs: number[] = []
  while (body.left > 0 && body.isWhole) refs.push(body.u32())
  return body.isDone ? refs : undefined
}

export function readEnd(body: ByteReader): SecondEnd | undefined {
  const [sequence, endMs, seconds, nowMs] = [body.f64(), body.f64(), body.u32(), body.f64()]
  const isWhole = body.isDone && isCount(sequence) && isTime(endMs) && isTime(nowMs)
  return isWhole && seconds <= SECONDS_MAX ? { sequence, endMs, seconds, nowMs } : undefined
}

function sharedMetadata(bytes: Uint8Array, known: Map<string, Metadata>): Metadata | undefined {
  const text = textOf(bytes)
  if (text === undefined) return undefined
  const shared = known.get(text)
  if (shared !== undefined) return shared
  const metadata = metadataOf(text)
  if (known.size >= KNOWN_LIMIT) known.clear()
  if (metadata !== undefined) known.set(text, metadata)
  return metadata
}

/** Reads metadata; members that are unknown, or of another type, are left out. */
function metadataOf(text: string): Metadata | undefined {
  const told = objectOf(text)
  const dialect = told?.dialect
  if (told === undefined || typeof dialect !== 'string') return undefined
  if (!/^[a-z0-9]+$/.test(dialect) || dialect.length > DIALECT_LENGTH_LIMIT) return undefined
  const metadata: Record<string, unknown> = { dialect }
  for (const name of [...TEXTS, ...HINTS]) {
    if (typeof told[name] === 'string') metadata[name] = told[name]
  }
  const { rateTimeScaleS, lacksSum, bounds } = told
  if (Number.isFinite(rateTimeScaleS) && (rateTimeScaleS as number) > 0) {
    metadata.rateTimeScaleS = rateTimeScaleS
  }
  if (lacksSum === true) metadata.lacksSum = true
  if (Array.isArray(bounds) && bounds.length <= BOUNDS_LIMIT && bounds.every(Number.isFinite)) {
    metadata.bounds = bounds
  }
  return metadata as unknown as Metadata
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= TIME_MS_MAX
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 128
}

export function writeHello(out: ByteWriter, hello: Hello): void {
  out.text(JSON.stringify(hello))
}

/** @param metadata as JSON, which many series have in common */
export function writeSeries(
  out: ByteWriter,
  { ref, form, key }: Pick<ToldSeries, 'ref' | 'form' | 'key'>,
  metadata: Uint8Array,
): void {
  out.u32(ref)
  out.byte(form)
  out.sized(key)
  out.sized(metadata)
}

export function writeEnd(out: ByteWriter, { sequence, endMs, seconds, nowMs }: SecondEnd): void {
  out.f64(sequence)
  out.f64(endMs)
  out.u32(seconds)
  out.f64(nowMs)
}

/** Reads an object of JSON; undefined for all else. */
function objectOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
