/** The commands that watch a hub, each loaded when it is asked for. */
import type { Command } from 'commander'

type AddCommand = (program: Command) => Promise<void>

export const VIEWERS: ReadonlyMap<string, AddCommand> = new Map<string, AddCommand>([
  [
    'top',
    async (program) => {
      const { addTop } = await import('../top/top.ts')
      addTop(program)
    },
  ],
  [
    'hist',
    async (program) => {
      const { addHist } = await import('../hist/hist.ts')
      addHist(program)
    },
  ],
  [
    'tap',
    async (program) => {
      const { addTap } = await import('../tap/tap.ts')
      addTap(program)
    },
  ],
  [
    'sources',
    async (program) => {
      const { addSources } = await import('./sources.ts')
      addSources(program)
    },
  ],
  [
    'watch',
    async (program) => {
      const { addWatch } = await import('../watch/watch.ts')
      addWatch(program)
    },
  ],
])
