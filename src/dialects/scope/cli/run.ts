/** Runs `pentameter scope` with the process it is in. */
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { colorDepth, hasScreen } from '../../../terminal/index.ts'
import { systemClock } from '../../../time/system-clock.ts'
import { ExporterFeed } from './feed/exporter-feed.ts'
import type { ScopeArguments, ScopeRequest } from './flags.ts'
import { scopeAsLines } from './lines.ts'
import { type OpenFeed, scopeOnScreen } from './screen/scope-screen.ts'

type Output = Pick<ScopeArguments, 'json' | 'color' | 'theme'>

export async function runScope(
  request: ScopeRequest,
  { json, color, theme }: Output,
): Promise<void> {
  const { stdin: input, stdout: output, stderr: errors, env } = process
  const clock = systemClock
  const openFeed = await openerOf(request)
  if (json || !hasScreen(output, env)) {
    const isJson = json === true
    await scopeAsLines(request, openFeed, { output, errors, process, clock, isJson })
    return
  }
  const paper = theme === 'system' ? undefined : theme
  const depth = colorDepth({ color, isTerminal: true, env, theme: paper })
  await scopeOnScreen(request, openFeed, { input, output, process, color: depth, clock })
}

/** Finds what opens the feed; what reads a hub is loaded only where one is read. */
async function openerOf(request: ScopeRequest): Promise<OpenFeed> {
  const { exporter, hub, record, replay, selector, intervalS, timeoutS, statistics } = request
  if (hub !== undefined) {
    const { SeriesFeed } = await import('./feed/series-feed.ts')
    const options = { hub, selector, intervalS, statistics }
    return (board, onChange) => new SeriesFeed(options, board, systemClock, onChange)
  }
  if (replay !== undefined) {
    const { ReplayFeed } = await import('./feed/replay-feed.ts')
    return (board, onChange) => new ReplayFeed(replay, board, systemClock, onChange)
  }
  return (board, onChange) => {
    try {
      const options = { ...exporter!, intervalS, timeoutS, record }
      return new ExporterFeed(options, board, systemClock, onChange)
    } catch (error) {
      if (error instanceof RangeError) throw new CommandError(error.message, EXIT_USAGE)
      throw error
    }
  }
}
