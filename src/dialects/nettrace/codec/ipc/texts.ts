/** Texts around a session: a provider's arguments, and the name of a process' socket; pure. */
import { failure } from '../payload.ts'

export type ArgumentPairs = readonly (readonly [key: string, value: string])[]

/**
 * Reads `key=value;key=value`. Quotes are left out and protect `=` and `;`; none can be escaped.
 *
 * @example
 * import { parseArguments } from 'pentameter/nettrace'
 *
 * console.log(parseArguments('a="1;2";b=3')) // [ [ 'a', '1;2' ], [ 'b', '3' ] ]
 */
export function parseArguments(text: string): ArgumentPairs {
  const pairs: [string, string][] = []
  let key: string | undefined
  let part = ''
  let isQuoted = false
  const close = (): void => {
    if (key !== undefined || part !== '') pairs.push([key ?? part, key === undefined ? '' : part])
    key = undefined
    part = ''
  }
  for (const unit of text) {
    if (unit === '"') isQuoted = !isQuoted
    else if (unit === ';' && !isQuoted) close()
    else if (unit === '=' && !isQuoted && key === undefined) {
      key = part
      part = ''
    } else part += unit
  }
  close()
  return pairs
}

/**
 * Writes arguments, in quotes where their characters need it.
 * @throws {EncodeError} bad_value for a quote, which can't be said
 *
 * @example
 * import { formatArguments } from 'pentameter/nettrace'
 *
 * console.log(formatArguments([['Metrics', 'App'], ['Filter', 'a;b']])) // Metrics=App;Filter="a;b"
 */
export function formatArguments(pairs: ArgumentPairs): string {
  return pairs.map(([key, value]) => `${quoted(key)}=${quoted(value)}`).join(';')
}

function quoted(text: string): string {
  if (text.includes('"')) throw failure('bad_value', `${text} has a quote`)
  return /[=;]/.test(text) ? `"${text}"` : text
}

/** Process whose socket has a name. */
export interface SocketOwner {
  readonly pid: number
  /** Start of the process, decimal: of Linux the jiffies since the system's start. */
  readonly key: string
}

const SOCKET = /^dotnet-diagnostic-(\d+)-(\d+)-socket$/

/**
 * Reads the name of a socket in the folder where processes have theirs.
 *
 * @example
 * import { parseSocketName } from 'pentameter/nettrace'
 *
 * const { pid, key } = parseSocketName('dotnet-diagnostic-4242-987654-socket') ?? {}
 * console.log(pid, key) // 4242 987654
 */
export function parseSocketName(name: string): SocketOwner | undefined {
  const match = SOCKET.exec(name)
  if (match === null) return undefined
  const pid = Number(match[1])
  return Number.isSafeInteger(pid) ? { pid, key: match[2]! } : undefined
}
