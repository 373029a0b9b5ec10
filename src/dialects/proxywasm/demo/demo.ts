/** Proxy-Wasm's part in the demo: a filter that the hub runs, in a temporary file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Demo } from '../../command-line.ts'
import { FRONT_FILTER_BASE64 } from './front-filter.ts'

const REQUESTS_PER_SECOND = 40

export const demo: Demo = {
  description: 'A Proxy-Wasm filter stands in front of one shop and counts its requests.',
  async prepare({ options }) {
    const folder = await mkdtemp(join(tmpdir(), 'pentameter-demo-'))
    const path = join(folder, 'front.wasm')
    await writeFile(path, Buffer.from(FRONT_FILTER_BASE64, 'base64'))
    const front = {
      name: 'front',
      path,
      unit: 'us',
      requestsPerSecond: REQUESTS_PER_SECOND,
      labelPatterns: [{ label: 'route', pattern: '(\\.route=([a-z]+))' }],
    }
    return {
      options: { filters: [...((options.filters ?? []) as readonly unknown[]), front] },
      end: () => rm(folder, { recursive: true, force: true }),
    }
  },
}
