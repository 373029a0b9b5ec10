/**
 * Assembles the wasm host module from its text: `node test/filters/zone-host.ts` writes
 * src/dialects/proxywasm/fast/zone-host.ts, which a test compares with the text.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { assembleWat } from './wat.ts'

const FOLDER = new URL('../../src/dialects/proxywasm/fast/', import.meta.url)
const COLUMNS = 90

export async function assembleZoneHost(): Promise<string> {
  const text = await readFile(new URL('zone-host.wat', FOLDER), 'utf8')
  const bytes = await assembleWat(text, 'zone-host.wat')
  return Buffer.from(bytes).toString('base64')
}

function sourceOf(base64: string): string {
  const lines = base64.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []
  return [
    '/**',
    ' * The bytes of zone-host.wat, assembled by test/filters/zone-host.ts: nothing has to be',
    ' * assembled where the package runs.',
    ' */',
    'export const ZONE_HOST_BASE64 = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('')",
    '',
  ].join('\n')
}

if (import.meta.main) {
  await writeFile(new URL('zone-host.ts', FOLDER), sourceOf(await assembleZoneHost()))
}
