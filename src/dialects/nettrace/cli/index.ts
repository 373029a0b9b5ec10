/** .NET processes for `pentameter counters`: their list, what they may tell, and feeds of them. */
import type { CounterSource, SourceCommand } from '../../command-line.ts'
import { COUNTERS_EVENT } from '../codec/message.ts'
import { knownProviders } from './known.ts'
import { findProcesses, processesAsJson, processesAsTable } from './processes.ts'
import { FLAGS, readTarget } from './target.ts'

const PS_HELP = `
Processes of this user, or of all where it is root, whose diagnostics socket is in $TMPDIR or /tmp:
id, name, program, arguments. Nothing connects to any of them. Those with a TMPDIR of their own, and
those in containers, are found by their id all the same (-p).

Examples:
  $ pentameter counters ps
  $ pentameter counters ps --json | jq .pid`

const LIST_HELP = `
A provider is an event source or a meter; each process has those that its program uses. All built-in
ones: https://learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics

Examples:
  $ pentameter counters list
  $ pentameter counters list --json`

const WATCH_HELP = `
A .NET process (-p, -n, --diagnostic-port) is asked at its diagnostics socket, as dotnet-counters
does: System.Runtime unless --counters names event sources and meters. Of a name that is both, the
meter is taken; with ${COUNTERS_EVENT}\\ in front the event source. An interval smaller than that
of another tool is that tool's as well, and a larger one is not in force: --any-interval takes what
comes.

  $ pentameter counters monitor -p 4242
  $ pentameter counters monitor -n Shop --counters 'System.Runtime,Shop.Orders[placed]'
  $ pentameter counters collect -p 4242 --format json -o run-7 --duration 00:00:10:00
  $ pentameter counters monitor --counters Shop.Orders -- dotnet Shop.dll

Behind -- stands a program that is started, watched from its very beginning, and ended with the
command; not dotnet run, which is a program of its own. Its output is not shown.`

const JSON_FLAG = { flags: '--json', description: 'one JSON line for each' }

const PS: SourceCommand = {
  name: 'ps',
  description: 'list the .NET processes whose counters can be watched',
  flags: [JSON_FLAG],
  help: PS_HELP,
  async run({ json }) {
    const { stdout, stderr } = process
    const list = await findProcesses()
    const width = stdout.isTTY ? stdout.columns : undefined
    stdout.write(json === true ? processesAsJson(list) : processesAsTable(list, width))
    if (list.stale === 0) return
    const sockets = list.stale === 1 ? 'socket is' : 'sockets are'
    stderr.write(`${list.stale} ${sockets} left out: the process is gone\n`)
  },
}

const LIST: SourceCommand = {
  name: 'list',
  description: 'list providers of .NET that are known by name',
  flags: [JSON_FLAG],
  help: LIST_HELP,
  async run({ json }) {
    process.stdout.write(knownProviders(json === true))
  },
}

export const counterSource: CounterSource = {
  flags: FLAGS,
  commands: [PS, LIST],
  help: WATCH_HELP,
  read: (values, request) => readTarget(values, request),
}
