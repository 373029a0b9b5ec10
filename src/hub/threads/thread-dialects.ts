/**
 * Dialects that an ingest thread can serve: those whose server only takes data, since one that
 * sends needs what the main thread has. Wallaroo's stays there too, because its windows are added
 * up by their own end, in views that cross all connections. The registry knows them all, but a
 * thread compiles what it imports anew, once per core and at every restart, so it imports these
 * alone.
 */
import type { Dialect } from '../../dialects/dialect.ts'
import { statshero } from '../../dialects/statshero/index.ts'

export const THREAD_DIALECTS: readonly Dialect[] = [statshero]
