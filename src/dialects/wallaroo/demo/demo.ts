/** Wallaroo's part in the demo: the workers of an invented exchange, each on its own connection. */
import { addressText } from '../../../model/text/address.ts'
import { type Demo, repeat } from '../../command-line.ts'
import { WallarooClient } from '../client.ts'
import { APPLICATION, PipelineWorker, WORKERS } from './pipeline.ts'

const STEP_MS = 100
const SEED = 17
const PERIOD_MS = 1000

export const demo: Demo = {
  description:
    'Three workers of an exchange report their pipelines; one computation is slow on one worker: ' +
    'find it.',
  start({ clock, addresses: { stream }, log }) {
    if (stream === undefined) return async () => {}
    const { host, port } = stream
    const workers = WORKERS.map((worker, i) => {
      const names = { application: APPLICATION, worker }
      const client = new WallarooClient({ ...names, host, port, periodMs: PERIOD_MS })
      void client.start()
      return { client, pipelines: new PipelineWorker(worker, client.reporter(), SEED + i) }
    })
    const cancel = repeat(clock, STEP_MS, () => {
      for (const { pipelines } of workers) pipelines.step(STEP_MS / 1000)
    })
    const to = addressText(host, port)
    log(`${WORKERS.length} workers of "${APPLICATION}" report their pipelines`, { to })
    return () => {
      cancel()
      return Promise.all(workers.map(({ client }) => client.close()))
    }
  },
}
