/** `pentameter history`: looks into a history, copies it, and carries it out and in. */
import { type Command, Option } from 'commander'
import { isEngineAddress } from '../../history/promql/address.ts'
import { HistoryError } from '../../history/store.ts'
import { CommandError, EXIT_FAILED } from '../../terminal/exit.ts'
import { parseInstant, wholeNumber } from '../../terminal/flag-values.ts'
import { defaultHistoryFolder } from '../history-folder.ts'
import type { ExportOptions } from './export.ts'
import { FORMATS } from './rows.ts'

const FOLDER = 'folder of the history; that of a hub started by this user unless stated'

const EXAMPLES = `
inspect, backup and export read beside the hub that writes, and hold nothing up; import and recover
need a folder that no hub has open. Times of export are ISO 8601, Unix seconds, or 7d, 3h, 20m, 45s
ago.

CSV and Parquet have a row a cell, and import takes both; docs/history.md names their columns.
OpenMetrics is for other programs.

Examples:
  $ pentameter history inspect
  $ pentameter history backup /backups/monday
  $ pentameter history export --output day.parquet --from 1d
  $ pentameter history export --format csv --name 'request.*' --step 60
  $ pentameter history import day.parquet --history ./other`

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ pentameter history ${line}`).join('\n')}`
}

export function addHistory(program: Command): void {
  const history = program
    .command('history')
    .description('what hubs have kept: look, copy, recover, export, import')
    .addHelpText('after', EXAMPLES)
  history
    .command('inspect')
    .description('say what is kept, how large and how well it is')
    .option('--history <folder>', FOLDER)
    .option('--top <count>', 'length of the lists', wholeNumber({ min: 1, max: 1000 }), 10)
    .option('--json', 'the same as JSON')
    .addHelpText('after', examples('inspect', 'inspect --top 30 --history ./other'))
    .action((options) => told(() => inspectFolder(options)))
  history
    .command('backup')
    .description('copy it, while a hub goes on writing')
    .argument('<target>', 'folder of the copy, which is made or empty')
    .option('--history <folder>', FOLDER)
    .addHelpText('after', examples('backup /backups/monday', 'backup ./copy --history ./other'))
    .action((target: string, options: FolderOption) => told(() => copyFolder(target, options)))
  history
    .command('recover')
    .description('copy what can be read of a damaged one')
    .argument('<target>', 'folder of the copy, which is made or empty')
    .option('--history <folder>', FOLDER)
    .addHelpText('after', examples('recover ./saved', 'recover ./saved --history ./damaged'))
    .action((target: string, options: FolderOption) => told(() => recoverFolder(target, options)))
  addExport(history)
  history
    .command('import')
    .description('add what was exported to it')
    .argument('<file>', 'CSV or Parquet, by its name')
    .option('--history <folder>', FOLDER)
    .option('--add', 'adds to cells of the same series and time, too')
    .addHelpText('after', examples('import day.parquet --history ./other', 'import more.csv --add'))
    .action((file: string, options: FolderOption & { add?: true }) => {
      return told(async () => {
        const { importHistory } = await import('./import.ts')
        const add = options.add === true
        const refused = await importHistory({ folder: folderOf(options), file, add })
        if (refused > 0) process.exitCode = EXIT_FAILED
      })
    })
}

function addExport(history: Command): void {
  history
    .command('export')
    .description('write cells as OpenMetrics, CSV or Parquet')
    .option('--history <folder>', FOLDER)
    .addOption(
      new Option('--format <format>', 'by the name of the file, or openmetrics').choices(FORMATS),
    )
    .option('--output <file>', 'stdout unless stated')
    .option('--name <pattern>', 'name of the series, with * for any run of characters', '*')
    .option('--from <time>', 'begin', parseInstant)
    .option('--to <time>', 'end', parseInstant)
    .addOption(
      new Option('--step <seconds>', 'least width of a cell; where finer ones have gone, wider')
        .choices(['1', '60', '3600'])
        .default('1'),
    )
    .addHelpText(
      'after',
      examples(
        'export --output day.parquet --from 1d',
        "export --format csv --name 'request.*' --from 2026-01-31T12:00Z --step 60",
      ),
    )
    .action((options: ExportArguments) => told(() => exportFolder(options)))
}

interface FolderOption {
  readonly history?: string
}

interface InspectArguments extends FolderOption {
  readonly top: number
  readonly json?: true
}

interface ExportArguments extends FolderOption, Pick<ExportOptions, 'format' | 'output' | 'name'> {
  readonly from?: number
  readonly to?: number
  readonly step: string
}

function folderOf({ history }: FolderOption): string {
  const folder = history ?? defaultHistoryFolder()
  if (isEngineAddress(folder)) {
    throw new CommandError(`${folder} is an engine: add --history FOLDER, or use its own tools`)
  }
  if (folder !== '') return folder
  throw new CommandError('PENTAMETER_HISTORY is none: add --history FOLDER')
}

/** Runs a command, whose failures are told without a stack trace. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isTold = error instanceof HistoryError || isOfFiles(error)
    throw isTold ? new CommandError((error as Error).message) : error
  }
}

/** Tells of an error of the file system: its message names the file and what is the matter. */
function isOfFiles(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

async function inspectFolder({ top, json, ...options }: InspectArguments): Promise<void> {
  const { inspect } = await import('../../history/sqlite/offline/inspection.ts')
  const { openSnapshot } = await import('../../history/sqlite/offline/snapshot.ts')
  const { Progress } = await import('./progress.ts')
  using snapshot = openSnapshot(folderOf(options))
  const progress = new Progress('looking')
  const found = inspect(snapshot, { top, progress: (share) => progress.show(share) })
  progress.end()
  if (json) {
    process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`)
    return
  }
  const { inspectionText } = await import('./report.ts')
  process.stdout.write(inspectionText(found, isRunning(found.owner?.pid)))
}

/** Tells whether a process is there, of any user. */
function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function copyFolder(target: string, options: FolderOption): Promise<void> {
  const { backUp } = await import('../../history/sqlite/offline/backup.ts')
  const { bytesText } = await import('./progress.ts')
  const from = folderOf(options)
  process.stderr.write(`copying ${from}\n`)
  const bytes = backUp({ from, to: target })
  process.stderr.write(`${bytesText(bytes)} are in ${target}\n`)
}

async function recoverFolder(target: string, options: FolderOption): Promise<void> {
  const { recover } = await import('../../history/sqlite/offline/recovering.ts')
  const { countText } = await import('./progress.ts')
  const from = folderOf(options)
  process.stderr.write(`reading ${from}\n`)
  const { series, bundles, lost } = recover({ from, to: target })
  const parts = [
    countText(lost.stretches, 'stretches of pages'),
    countText(lost.rows, 'rows'),
    countText(lost.chunks, 'chunks'),
  ]
  const saved = `${countText(series, 'series')} and ${countText(bundles, 'bundles')}`
  process.stderr.write(`${saved} are in ${target}\ncan't be read: ${parts.join(', ')}\n`)
}

async function exportFolder(options: ExportArguments): Promise<void> {
  const { exportHistory } = await import('./export.ts')
  const { format, output, name, from = 0, to = Number.MAX_SAFE_INTEGER, step } = options
  await exportHistory({
    folder: folderOf(options),
    ...(format === undefined ? {} : { format }),
    ...(output === undefined ? {} : { output }),
    ...{ name, fromS: from / 1000, toS: to / 1000, widthS: Number(step) as 1 | 60 | 3600 },
  })
}
