/**
 * Requests to the HTTP API of Prometheus, which other engines have too. Nothing an engine answers
 * is trusted: its size is bounded while it comes, its time ends with the caller's signal, and its
 * shape is checked (matrix.ts).
 */
import { HistoryError } from '../store.ts'

interface ClientOptions {
  /** Address of the API, without credentials. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of one answer that are read; 32 MiB unless stated. */
  readonly answerBytesLimit?: number
}

const ANSWER_BYTES_LIMIT = 33_554_432
/** Bytes of an answer that says what was wrong. */
const ERROR_BYTES_LIMIT = 65_536
/** Part of its text that is told. */
const SAID_LENGTH = 200
const HINTS: Readonly<Record<number, string>> = {
  401: 'put the user and password into the address, or set history.headers',
  403: 'set history.headers',
  404: 'see whether the path is that above /api/v1',
}

export class EngineClient {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Asks, and gives the `data` of the answer.
   * @throws {HistoryError} `unreachable`, `timeout`, `unavailable`, `refused`, `too_large`,
   * `bad_answer`
   */
  async ask(
    path: string,
    parameters: Readonly<Record<string, string>> | [name: string, value: string][],
    signal: AbortSignal,
  ): Promise<unknown> {
    const { url, headers, answerBytesLimit = ANSWER_BYTES_LIMIT } = this.#options
    try {
      const answer = await fetch(`${url}/${path}`, {
        method: 'POST',
        headers: { 'User-Agent': 'pentameter', ...headers },
        body: new URLSearchParams(parameters),
        redirect: 'manual',
        signal,
      })
      if (!answer.ok) throw await refusalOf(answer)
      return dataOf(await textOf(answer, answerBytesLimit))
    } catch (error) {
      throw error instanceof HistoryError ? error : transportError(error)
    }
  }
}

function transportError(error: unknown): HistoryError {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') {
    return new HistoryError('timeout', 'the engine did not answer in time (history.timeoutMs)')
  }
  if (name === 'AbortError') return new HistoryError('closed', 'the history is closed')
  const reason = cause?.code ?? cause?.message ?? message
  return new HistoryError('unreachable', `the engine does not answer: ${reason}`)
}

async function refusalOf(answer: Response): Promise<HistoryError> {
  const { status } = answer
  const text = await textOf(answer, ERROR_BYTES_LIMIT).catch(() => '')
  const code = status === 429 || status >= 500 ? 'unavailable' : 'refused'
  const hint = HINTS[status] === undefined ? '' : `; ${HINTS[status]}`
  return new HistoryError(code, `the engine answers ${status}${saidBy(text)}${hint}`)
}

/** Gives what an engine says of a refusal, as text of one line. */
function saidBy(text: string): string {
  let said = text
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') said = error
  } catch {
    // plain text, which proxies answer
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: of a stranger, for a terminal
  const clean = said.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return clean === '' ? '' : `: ${clean.slice(0, SAID_LENGTH)}`
}

/** @throws {HistoryError} `too_large` as soon as there is more than the limit */
async function textOf(answer: Response, limit: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.length
    if (size > limit) {
      throw new HistoryError('too_large', `answer of more than ${limit} bytes, which is the limit`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts, size).toString()
}

function dataOf(text: string): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new HistoryError('bad_answer', 'the engine answers what is no JSON, or a part of it')
  }
  const { status, data } = (answer ?? {}) as { status?: unknown; data?: unknown }
  if (status !== 'success') throw new HistoryError('bad_answer', 'its answer has no success in it')
  return data
}
