/** What `pentameter history inspect` prints of a history. */
import { RECOVERY } from '../../history/sqlite/folder.ts'
import type { Inspection, LevelInspection } from '../../history/sqlite/offline/inspection.ts'
import { KINDS } from '../../model/index.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { tableLines } from '../../terminal/columns.ts'
import { bytesText, countText } from './progress.ts'

/** @param isRunning whether the process that opened it last is there */
export function inspectionText(found: Inspection, isRunning: boolean): string {
  const { folder, bytes, series, living, kinds, openSeconds, levels } = found
  const byKind = KINDS.filter((kind) => kinds[kind] > 0).map((kind) => `${kinds[kind]} ${kind}`)
  const free = bytes.free === 0 ? '' : `, ${bytesText(bytes.free)} free`
  const ahead = bytes.writeAhead === 0 ? '' : `, ${bytesText(bytes.writeAhead)} ahead of it`
  const facts = [
    ['folder', folder],
    ['health', healthText(found, isRunning)],
    ['opened', ownerText(found, isRunning)],
    ['on disk', `${bytesText(bytes.database)}${free}${ahead}`],
    ['head logs', `${bytesText(bytes.headLogs)}, ${countText(openSeconds, 'seconds')}`],
    [
      'series',
      `${series}, ${living} of them living${byKind.length === 0 ? '' : `: ${byKind.join(', ')}`}`,
    ],
  ]
  return [
    tableLines(facts).join('\n'),
    section(['cells of', 'from', 'to', 'bundles', 'chunks', 'bytes'], levels.map(levelRow)),
    section(
      ['largest series', 'kind', 'bytes', 'last'],
      found.largest.map(({ identity: { name, labels, kind }, bytes: size, lastS }) => {
        return [seriesText(name, labels), kind, bytesText(size), timeText(lastS)]
      }),
    ),
    section(
      ['names with most series', 'series', 'bytes'],
      found.names.map((each) => [
        escapeUnseen(each.name),
        String(each.series),
        bytesText(each.bytes),
      ]),
    ),
    section(
      ['labels with most values', 'values', 'series', 'bytes'],
      found.labels.map((each) => [
        escapeUnseen(each.name),
        ...[String(each.values), String(each.series), bytesText(each.bytes)],
      ]),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function section(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : tableLines([head, ...rows]).join('\n')
}

function healthText({ problem, levels, wasClosed }: Inspection, isRunning: boolean): string {
  const damaged = levels.reduce((count, each) => count + each.damaged, 0)
  if (problem !== undefined) return `damaged: ${problem}; ${RECOVERY}`
  if (damaged > 0) return `${damaged} bundles can’t be read`
  if (wasClosed) return 'whole, closed in order'
  return isRunning ? 'whole, open' : 'whole; not closed in order, the next start replays its log'
}

function ownerText({ owner }: Inspection, isRunning: boolean): string {
  if (owner === undefined) return 'by no process that is known'
  const since = timeText(owner.sinceMs / 1000)
  return `by process ${owner.pid} at ${since}, which ${isRunning ? 'runs' : 'has ended'}`
}

function levelRow({
  table,
  fromS,
  toS,
  bundles,
  chunks,
  bytes,
  widthS,
}: LevelInspection): string[] {
  const names = { second5: 'seconds, 5 min', second: 'seconds, 1 h', minute1: 'minutes, 1 h' }
  const name = names[table as keyof typeof names] ?? (widthS === 60 ? 'minutes, 4 h' : 'hours')
  return [
    ...[name, timeText(fromS), timeText(toS), String(bundles), String(chunks)],
    bytesText(bytes),
  ]
}

function seriesText(name: string, labels: readonly (readonly [string, string])[]): string {
  const pairs = labels.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')
  return escapeUnseen(pairs === '' ? name : `${name}{${pairs}}`)
}

function timeText(atS: number | undefined): string {
  if (atS === undefined || atS === 0) return '-'
  return new Date(atS * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
