/** The demo's Proxy-Wasm filter as an entry of the hub's config; its file lives as long as it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRONT_FILTER_BASE64 } from './front-filter.ts'

const REQUESTS_PER_SECOND = 40

export interface Front {
  readonly filter: Readonly<Record<string, unknown>>
  /** Removes the file. */
  remove(): Promise<void>
}

export async function writeFront(): Promise<Front> {
  const folder = await mkdtemp(join(tmpdir(), 'pentameter-demo-'))
  const path = join(folder, 'front.wasm')
  await writeFile(path, Buffer.from(FRONT_FILTER_BASE64, 'base64'))
  return {
    filter: {
      name: 'front',
      path,
      unit: 'us',
      requestsPerSecond: REQUESTS_PER_SECOND,
      labelPatterns: [{ label: 'route', pattern: '(\\.route=([a-z]+))' }],
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
