/**
 * Lines of NDJSON, both ways (eventcounters.md §3.1, §6); pure.
 *
 *   {"event":"EventCounters","provider":…,"time":RFC 3339 UTC ms,"Payload":{…}}[0x0A]
 *   and before the last brace `,"marks":[…]` and `,"buckets":{…}` for those who asked for them
 */
import { runNow, type Task } from '../../../time/task.ts'
import { ByteQueue } from '../../../wire/byte-queue.ts'
import type { Profile } from '../../decoder.ts'
import type { Boundary } from '../server/counter-source.ts'
import { type ErrorCode, LIMITS } from '../spec.ts'
import { LINE_END, spellingOf } from './payload.ts'
import { type IgnoredReason, type ReadWindow, readLine } from './read.ts'

/**
 * Writes the lines of everything that closed at one moment.
 * @param hasMarks whether the client wants to know what no payload can say, and the buckets of
 *   windows that have them
 */
export function boundaryText(
  { timeMs, windows }: Boundary,
  profile: Profile,
  hasMarks = false,
): string {
  const time = new Date(timeMs).toISOString()
  let text = ''
  for (const window of windows) {
    const spelling = spellingOf(window, profile)
    text += spelling.line(window, timeMs, time) + (hasMarks ? spelling.markedEnd(window) : LINE_END)
  }
  return text
}

interface LineObserver {
  onWindow(window: ReadWindow): void
  onIgnored?(reason: IgnoredReason): void
  /** @param line what was read of it, at most the limit; valid only during the call */
  onError?(code: ErrorCode, line: Uint8Array): void
}

interface LineReaderOptions {
  /** Spelling known before the first line. */
  readonly profile?: Profile
  readonly lineBytesLimit?: number
}

/** Numbers of lines by what became of them. */
type LineCounts = Readonly<Record<'windows' | IgnoredReason | ErrorCode, number>>

const LF = 0x0a
/** Lines, and bytes of them, that are read in one part. */
const LINES_PER_PART = 16
const BYTES_PER_PART = 4096

/**
 * Bytes of one connection, cut anywhere, to windows. The first payload that shows its spelling
 * fixes it for those that do not. Never throws, unless its observer does.
 */
export class LineReader {
  readonly #observer: LineObserver
  readonly #limit: number
  readonly #held = new ByteQueue()
  readonly #counts: Record<keyof LineCounts, number> = {
    windows: 0,
    keep_alive: 0,
    other_event: 0,
    not_json: 0,
    not_an_object: 0,
    no_payload: 0,
    missing_name: 0,
    unknown_counter_type: 0,
    missing_value: 0,
    line_too_long: 0,
  }
  #profile: Profile | undefined
  /** Inside of a line that was given up. */
  #isSkipping = false

  constructor(observer: LineObserver, options: LineReaderOptions = {}) {
    this.#observer = observer
    this.#limit = options.lineBytesLimit ?? LIMITS.lineBytes
    this.#profile = options.profile
  }

  get counts(): LineCounts {
    return this.#counts
  }

  /** Spelling that the connection has shown so far. */
  get profile(): Profile | undefined {
    return this.#profile
  }

  /** Whether bytes of a line are held whose end has not come: lost when the connection is. */
  get isInLine(): boolean {
    return this.#isSkipping || this.#held.size > 0
  }

  /** Takes bytes, which are read before it returns and not kept. */
  push(bytes: Uint8Array): void {
    runNow(this.pushInParts(bytes))
  }

  /** Does what {@link push} does, in parts; the bytes are used until the last of them. */
  *pushInParts(bytes: Uint8Array): Task {
    let partAt = 0
    let lines = 0
    for (let start = 0; start < bytes.length; ) {
      if (lines === LINES_PER_PART || start - partAt >= BYTES_PER_PART) {
        yield
        partAt = start
        lines = 0
      }
      const found = bytes.indexOf(LF, start)
      const end = found === -1 ? bytes.length : found
      this.#take(bytes.subarray(start, end), found !== -1)
      start = end + 1
      lines++
    }
  }

  /** Ends a file: what was held is the last line, without its end. */
  finish(): void {
    if (this.#held.size > 0) this.#take(new Uint8Array(0), true)
    this.#isSkipping = false
  }

  #take(piece: Uint8Array, isWhole: boolean): void {
    if (this.#isSkipping) {
      this.#isSkipping = !isWhole
    } else if (this.#held.size + piece.length > this.#limit) {
      this.#held.append(piece.subarray(0, this.#limit - this.#held.size))
      const line = this.#held.peek()
      this.#held.clear()
      this.#isSkipping = !isWhole
      this.#fail('line_too_long', line)
    } else if (!isWhole) {
      this.#held.append(piece)
    } else if (this.#held.size === 0) {
      this.#read(piece)
    } else {
      this.#held.append(piece)
      const line = this.#held.peek()
      this.#held.clear()
      this.#read(line)
    }
  }

  #read(line: Uint8Array): void {
    let text: string
    try {
      text = strictText.decode(line)
    } catch {
      this.#fail('not_json', line)
      return
    }
    const result = readLine(text, this.#profile)
    if (result.kind === 'error') this.#fail(result.code, line)
    else if (result.kind === 'ignored') {
      this.#counts[result.reason]++
      this.#observer.onIgnored?.(result.reason)
    } else {
      const { window } = result
      this.#counts.windows++
      if (!window.warnings.includes('profile_assumed')) this.#profile ??= window.profile
      this.#observer.onWindow(window)
    }
  }

  #fail(code: ErrorCode, line: Uint8Array): void {
    this.#counts[code]++
    this.#observer.onError?.(code, line)
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
