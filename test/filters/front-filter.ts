/**
 * Assembles the demo's filter from its text: `node test/filters/front-filter.ts` writes
 * src/dialects/proxywasm/demo/front-filter.ts, which a test compares with the text.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { assembleWat } from './wat.ts'

const FOLDER = new URL('../../src/dialects/proxywasm/demo/', import.meta.url)
const COLUMNS = 90

export async function assembleFrontFilter(): Promise<string> {
  const text = await readFile(new URL('front-filter.wat', FOLDER), 'utf8')
  return Buffer.from(await assembleWat(text, 'front-filter.wat')).toString('base64')
}

function sourceOf(base64: string): string {
  const lines = base64.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []
  return [
    '/** The bytes of front-filter.wat, assembled by test/filters/front-filter.ts. */',
    'export const FRONT_FILTER_BASE64 = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('')",
    '',
  ].join('\n')
}

if (import.meta.main) {
  await writeFile(new URL('front-filter.ts', FOLDER), sourceOf(await assembleFrontFilter()))
}
