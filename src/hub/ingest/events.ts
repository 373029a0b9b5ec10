/** Events of ingest as the hub tells people of them: counted, and some of them logged. */
import type { Log } from '../log.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { CommandEvents } from './command-queue.ts'
import type { IngestEvents } from './ingest.ts'

/** Gives what happens to the series of one dialect to the hub's reports. */
export function ingestEvents(
  dialect: string,
  reports: ErrorReports,
  log: Log,
): IngestEvents & CommandEvents {
  return {
    refused: (code, source, name?: () => string, count?: number) => {
      reports.refused(dialect, code, source, name, count)
    },
    noted: (code) => reports.noted(dialect, code),
    contested: (record) => {
      log('warn', 'readings of one counter seem to come from two senders', {
        series: record.identity.name,
        sources: record.reading?.sources,
      })
    },
  }
}
