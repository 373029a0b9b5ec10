/**
 * What a person is told of ports that could not be bound: why, who holds them, and what helps.
 * Linux says which socket listens and which process has it open; told is the name of that process,
 * not its arguments, which may hold secrets.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { PortAddresses } from '../dialects/endpoints.ts'
import { escapeUnseen } from '../model/text/unseen.ts'
import { CommandError } from '../terminal/exit.ts'

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => `/proc/net/${name}`)
/** States of sockets that hold a port: TCP that listens, UDP without a peer. */
const LISTENING = '0A'
const BOUND = '07'
/** Processes that are looked through; an end for machines with very many. */
const PROCESSES_LIMIT = 20_000

/** A port that could not be bound. */
interface FailedPort {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly error: string
  /** Process that holds it, where the system says so. */
  readonly holder?: string
  /** Flag that chooses another. */
  readonly flag: string
}

/** Lists the ports that could not be bound. */
export function failedPorts(addresses: PortAddresses): readonly FailedPort[] {
  return Object.entries(addresses).flatMap(([name, { host, port, error }]) => {
    if (error === undefined) return []
    const holder = portHolder(port)
    const flag = `--${name}-port`
    return [{ name, host, port, error, ...(holder === undefined ? {} : { holder }), flag }]
  })
}

/** Writes one line for each, of at most 80 columns with usual names. */
export function failureLines(failed: readonly FailedPort[]): readonly string[] {
  return failed.map(({ name, port, error, holder, flag }) => {
    const why = holder === undefined ? error : `held by ${holder}`
    return `${name} port ${port}: ${why}; ${flag} PORT takes another`
  })
}

/** Makes the error of a command that does not run without these ports. */
export function portsError(words: string, failed: readonly FailedPort[]): CommandError {
  return new CommandError([`${words}:`, ...failureLines(failed)].join('\n  '))
}

/** Finds who holds a port: `process 4242 (node pentameter.js)`; undefined where that is hidden. */
function portHolder(port: number): string | undefined {
  const sockets = new Set(TABLES.flatMap((path) => inodesOf(textOf(path), port)))
  if (sockets.size === 0) return undefined
  const ids = listOf('/proc').filter((name) => /^\d+$/.test(name))
  const id = ids.slice(0, PROCESSES_LIMIT).find((each) => hasOpen(each, sockets))
  if (id === undefined) return undefined
  const [program = '', script = ''] = textOf(`/proc/${id}/cmdline`).split('\0')
  const names = [program, script].filter((part) => part !== '' && !part.startsWith('-'))
  return `process ${id} (${escapeUnseen(names.map((part) => basename(part)).join(' '))})`
}

/** Lists sockets bound to a port. Lines read `sl: LOCAL:PORT REMOTE:PORT st … inode …`, in hex. */
function inodesOf(table: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/)
    const isHeld = fields[1]?.endsWith(ending) && [LISTENING, BOUND].includes(fields[3]!)
    return isHeld ? [`socket:[${fields[9]}]`] : []
  })
}

function hasOpen(id: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${id}/fd`
  return listOf(folder).some((name) => {
    try {
      return sockets.has(readlinkSync(`${folder}/${name}`))
    } catch {
      return false // closed meanwhile
    }
  })
}

/** Lists a folder; empty where there is none, or it is another user's. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
