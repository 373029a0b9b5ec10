/** A source over runtimes of a test: its context, and folders of sockets and processes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { ModelIngest, type ModelSeries } from '../../../../test/support/model-ingest.ts'
import { NO_EXTRAS } from '../../../../test/support/no-samples.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { sharedObjects } from '../../../../test/support/shared-objects.ts'
import { READS_AT_ONCE } from '../../../../test/support/shared-reads.ts'
import type { ChosenPeer, Source, SourceContext } from '../../endpoints.ts'
import { defaultsOf } from '../../options.ts'
import { processTarget } from '../client/attach/address.ts'
import { connectSource } from '../client/attach/source.ts'
import { CLIENT_OPTIONS } from '../options.ts'

/** One hub of a test: sources that it opens share what those of a hub share. */
export function attachedHub(t: TestContext, client: Partial<Record<string, unknown>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'nettrace-'))
  const places = { temporary: join(root, 'tmp'), proc: join(root, 'proc') }
  mkdirSync(places.temporary)
  mkdirSync(places.proc)
  const clock = new FakeClock()
  const reports = new RecordedReports()
  const ingest = new ModelIngest()
  const context: SourceContext = {
    ...{ clock, reports, ingest, bytesLimit: 1e7, reads: READS_AT_ONCE, ...NO_EXTRAS },
    options: { client: { ...defaultsOf(CLIENT_OPTIONS), ...client } },
    shared: sharedObjects(),
  }
  const sources: Source[] = []
  t.after(async () => {
    let isClosed = false
    const closed = Promise.all(sources.map((source) => source.close()))
    void closed.then(() => {
      isClosed = true
    })
    await eventually(clock, () => isClosed)
    rmSync(root, { recursive: true })
  })
  const attach = (address: string) => {
    const source = connectSource(processTarget(address), context, places)
    sources.push(source)
    const peers = (): readonly ChosenPeer[] => source.statuses?.() ?? [source.status()]
    return { source, peers }
  }
  /** Adds a process with the path of its socket. */
  const process = (pid: number, name: string, start = 987): string => {
    const folder = join(places.proc, String(pid))
    mkdirSync(folder, { recursive: true })
    const fields = `S ${Array.from({ length: 18 }, (_, i) => i).join(' ')} ${start} 7`
    writeFileSync(join(folder, 'stat'), `${pid} (${name}) ${fields}\n`)
    return join(places.temporary, `dotnet-diagnostic-${pid}-${start}-socket`)
  }
  const series = (name: string): ModelSeries[] =>
    ingest.series.filter(({ identity, isRetired }) => identity.name === name && !isRetired)
  return { places, clock, reports, ingest, context, attach, process, series }
}

/** Turns of the event loop after which something that does not hold never will. */
const TURNS_LIMIT = 20_000

/** Lets time pass in small steps, with turns of the event loop between them, until it holds. */
export async function eventually(clock: FakeClock, holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i === TURNS_LIMIT) throw new Error(`it never holds: ${holds}`)
    await new Promise((resolve) => setImmediate(resolve))
    if (i % 20 === 19) clock.advance(50)
  }
}

/**
 * Lets so much time pass, with turns of the event loop after each half of a second, and a real
 * moment for the system's threads that read files.
 */
export async function passTime(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(Math.min(left, 500))
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
