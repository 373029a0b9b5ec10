/** `pentameter sources`: who a hub reads from and hears, and what is known of each connection. */
import type { Command } from 'commander'
import type { ConnectionStatus, PeerStatus, SourcesAnswer } from '../../http/api.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { reasonWords } from '../../viewer/format/status.ts'
import { durationText } from '../../viewer/format/time.ts'
import { tableLines } from '../columns.ts'
import { addHubOptions, type HubArguments } from './arguments.ts'

const EXAMPLES = `
Peers are those that the hub was told to connect to, there or not; connections are those that stand,
with what their dialect knows of them: of a process of .NET its name, id, version and providers, the
interval in force, and the events that it has lost. The page has the same at /sources.

Examples:
  $ pentameter sources
  $ pentameter sources --json | jq 'select(.facts.lost > 0)'`

export function addSources(program: Command): void {
  const command = program
    .command('sources')
    .description('who a hub reads from and hears, and what is known of each')
  addHubOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (args: HubArguments) => {
      const { connectHub } = await import('./connect.ts')
      const { api } = await connectHub(args.hub)
      const { signal } = new AbortController()
      const sources = (await api.get('/sources', signal)) as SourcesAnswer
      const lines = args.json ? jsonLines(sources) : sourcesLines(sources, Date.now())
      process.stdout.write(lines.map((line) => `${line}\n`).join(''))
    })
}

/** Writes a line of JSON for each peer, connection and source. */
function jsonLines({ peers = [], connections, sources }: SourcesAnswer): string[] {
  return [
    ...peers.map((peer) => JSON.stringify({ peer: peer.name, ...peer })),
    ...connections.map((connection) => JSON.stringify(connection)),
    ...sources.map((source) => JSON.stringify(source)),
  ]
}

const STATES = { connected: 'connected', lost: 'gone', never: 'not reached' } as const

/** Writes what a person reads, section by section; sections without anything are left out. */
export function sourcesLines(
  { peers = [], connections, sources }: Pick<SourcesAnswer, 'peers' | 'connections' | 'sources'>,
  nowMs: number,
): string[] {
  const since = (ms: number): string => durationText(Math.max(0, (nowMs - ms) / 1000))
  const sections: readonly (readonly [string, string[][]])[] = [
    ['Peers', peers.map((peer) => peerCells(peer, since(peer.sinceMs)))],
    ['Connections', connections.map((each) => connectionCells(each, since(each.sinceMs)))],
    [
      'Sources',
      sources.map(({ address, dialect, series, errors, lastDataMs }) => [
        ...[address, dialect, `${series} series`, `${errors} errors`],
        `heard ${since(lastDataMs)} ago`,
      ]),
    ],
  ]
  const shown = sections.filter(([, rows]) => rows.length > 0)
  if (shown.length === 0) return ['Nothing is connected, and nothing was heard yet.']
  return shown.flatMap(([title, rows], i) => [
    ...(i === 0 ? [] : ['']),
    title,
    ...tableLines(rows.map((row) => row.map(escapeUnseen))).map((line) => `  ${line.trimEnd()}`),
  ])
}

function peerCells(peer: PeerStatus, time: string): string[] {
  const { name, dialect, state, message, isListening = false } = peer
  const why = state === 'connected' || message === undefined ? '' : reasonWords(message)
  return [
    name,
    dialect,
    isListening && state === 'connected' ? 'listening' : STATES[state],
    `for ${time}`,
    why,
  ]
}

function connectionCells({ peer, dialect, facts }: ConnectionStatus, time: string): string[] {
  const known = Object.entries(facts).filter(([, value]) => {
    return value !== 0 && value !== false && value !== ''
  })
  const words = known.map(([name, value]) => (value === true ? name : `${name} ${value}`))
  return [peer, dialect, `for ${time}`, words.join(', ')]
}
